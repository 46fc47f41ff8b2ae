// The texts of the panel's bar.

const en = {
  label: "Page",
  waiting: "Waiting for the page.",
  denied: "Tuckbox may not look at this site yet: click its icon in the toolbar once.",
  noProject: "No project is exposed: call expose(project) from tuckbox/devtools in the page or its worker.",
  joined: "Live",
  project: "Project",
  worker: "(worker)",
  follow: "Follow",
  events: "What happened",
  noEvents: "Nothing yet.",
  preview: "preview",
  commit: "commit",
};

const zh: typeof en = {
  label: "页面",
  waiting: "正在等待页面。",
  denied: "Tuckbox 还不能查看此网站：请在工具栏中点击一次它的图标。",
  noProject: "没有公开的项目：请在页面或其 worker 中调用 tuckbox/devtools 的 expose(project)。",
  joined: "实时",
  project: "项目",
  worker: "（worker）",
  follow: "跟随",
  events: "发生了什么",
  noEvents: "还没有。",
  preview: "预览",
  commit: "提交",
};

export const panelTexts = { en, zh };
