import { NativeSelect, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { rules } from "@/texts/rules";
import type { RuleForm } from "./form";

const texts = rules.form;

// The paths of the service's errors about a pattern, and about its language.
const faults = ["matcher.pattern", "matcher.kind"];
const atLanguage = "matcher.language";

/** The fields of a rule for its check: by a model, or by a pattern. */
export function MatcherFields({ form }: { form: UseFormReturnType<RuleForm> }) {
  const kind = form.values.matcher;
  const language = form.getInputProps("language");
  const languages = { ...texts.languageOf, ...(form.values.language in texts.languageOf ? {} : { [form.values.language]: form.values.language }) };
  const pattern = form.getInputProps("pattern");
  const fault = faults.flatMap((path) => (form.errors[path] ? [String(form.errors[path])] : [])).join(" ");
  return (
    <>
      <NativeSelect label={texts.matcher} description={texts.matcherHelp} autoComplete="off" data={Object.entries(texts.matchers).map(([value, label]) => ({ value, label }))} {...form.getInputProps("matcher")} />
      {kind === "ast" && (
        <NativeSelect label={texts.language} description={texts.languageHelp} autoComplete="off" data={Object.entries(languages).map(([value, label]) => ({ value, label }))} {...language} data-path={atLanguage} error={form.errors[atLanguage] ?? language.error} onChange={(event) => { form.clearFieldError(atLanguage); language.onChange(event); }} />
      )}
      {kind !== "" && (
        <Textarea
          label={texts.pattern}
          description={texts.patternHelp[kind]}
          rows={3}
          maxLength={1000}
          resize="vertical"
          spellCheck={false}
          autoComplete="off"
          {...pattern}
          data-path="matcher.pattern"
          error={fault || pattern.error}
          onChange={(event) => {
            faults.forEach((path) => form.clearFieldError(path));
            pattern.onChange(event);
          }}
        />
      )}
    </>
  );
}
