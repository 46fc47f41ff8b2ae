// A row of exclusive options.
interface SegmentsProps {
  label: string;
  options: { value: string; text: string }[];
  value: string;
  disabled?: boolean;
  onChange: (next: string) => void;
}

export function Segments({ label, options, value, disabled = false, onChange }: SegmentsProps) {
  return (
    <fieldset class="segments" disabled={disabled}>
      <legend>{label}</legend>
      {options.map((option) => (
        <label>
          <input type="radio" name={label} checked={option.value === value} onChange={() => onChange(option.value)} />
          <span>{option.text}</span>
        </label>
      ))}
    </fieldset>
  );
}
