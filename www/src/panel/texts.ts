// The texts of the panel's bar.

const en = {
  label: "Page",
  waiting: "Waiting for the page.",
  denied: "Tuckbox has no access to this site. Click its icon in the toolbar.",
  noProject: "No project is exposed. Call expose(project) from tuckbox/devtools in the page or its worker.",
  joined: "Live",
  project: "Project",
  worker: "(worker)",
  follow: "Follow",
  events: "Events",
  noEvents: "No events yet.",
  preview: "preview",
  commit: "commit",
};

const zh: typeof en = {
  label: "页面",
  waiting: "正在等待页面。",
  denied: "Tuckbox 无权访问此网站。请点击工具栏中的图标。",
  noProject: "没有公开的项目。请在页面或其 worker 中调用 tuckbox/devtools 的 expose(project)。",
  joined: "实时",
  project: "项目",
  worker: "（worker）",
  follow: "跟随",
  events: "事件",
  noEvents: "还没有事件。",
  preview: "预览",
  commit: "提交",
};

export const panelTexts = { en, zh };
