import { useId } from "react";
import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { IconArrowBackUp } from "@tabler/icons-react";
import type { Schemas } from "@/api/queries";
import { settings as texts } from "@/texts/settings";
import { OriginMark, type Origin } from "@/ui/OriginMark";
import { StateMark } from "@/ui/StateMark";
import { Entry, hint } from "./Entry";
import { same, type Value } from "./table";
import { valueText, type Worded } from "./words";

/** The value that applies if it is not set here, with its origin. */
export interface Inherited {
  value: Value;
  origin: Origin;
}

interface Props {
  setting: Worded;
  /** The value in this document; undefined: not set, so the inherited value applies. */
  value: Value | undefined;
  /** undefined: every setting is set here, and nothing is inherited. */
  inherited: Inherited | undefined;
  /** Changes the value; undefined: the person may not change it. */
  set: ((value: Value | undefined) => void) | undefined;
  locked?: boolean;
  /** Why it cannot be changed here. */
  fixed?: string | undefined;
  /** The lock in this document; undefined if settings cannot be locked here. */
  lock?: { on: boolean; set: (on: boolean) => void } | undefined;
  notInEffect: Schemas["NotInEffect"] | undefined;
  error: string | undefined;
  listed?: readonly { id: string; name: string }[];
}

/** One setting: its description, its effective value with the reason, and the field for people who may change it. A change of the field sets it here. */
export function SettingRow({ setting: s, value, inherited, set, locked = false, fixed, lock, notInEffect, error, listed = [] }: Props) {
  const id = useId();
  const said = value !== undefined;
  const shown = said ? value : inherited?.value;
  const enter = locked || shown === undefined ? undefined : set;
  const back = inherited && valueText(s, inherited.value, listed);
  return (
    <div className="setting" id={`setting-${s.name}`} data-setting={s.name}>
      <Stack gap={2}>
        <Group gap="xs">
          {enter ? (
            <Text component="label" htmlFor={`${id}-field`} fw={600}>
              {s.label}
            </Text>
          ) : (
            <Text fw={600}>{s.label}</Text>
          )}
          {inherited && <OriginMark origin={said ? "repository" : inherited.origin} here={said}>{said ? texts.originHere : texts.origin[inherited.origin]}</OriginMark>}
          {fixed && <StateMark tone="quiet">{fixed}</StateMark>}
          {locked && <StateMark tone="warn">{texts.locked}</StateMark>}
        </Group>
        <Text size="sm" c="dimmed" id={`${id}-help`}>
          {s.help} {enter ? hint(s) : ""}
        </Text>
        {said && inherited?.origin === "file" && (
          <Text size="sm" className="wrap-anywhere">
            <b>{texts.notInEffect}</b> {texts.fileCounts(back ?? "")}
          </Text>
        )}
        {notInEffect && (
          <Text size="sm" className="wrap-anywhere">
            <b>{texts.notInEffect}</b> {notInEffect.note} {notInEffect.actsAs === undefined ? "" : texts.acts(valueText(s, notInEffect.actsAs as Value))}
          </Text>
        )}
      </Stack>
      <Stack gap="xs" className="setting-value">
        {enter && shown !== undefined ? (
          <Entry
            setting={s}
            value={shown}
            change={(to) => {
              if (said || !same(to, shown)) enter(to); // a field that only lost the focus may report its inherited value
            }}
            id={`${id}-field`}
            describedBy={error ? `${id}-help ${id}-error` : `${id}-help`}
            error={error}
            listed={listed}
          />
        ) : (
          <Text className="wrap-anywhere">{valueText(s, shown, listed)}</Text>
        )}
        {error && (
          <Text size="sm" c="var(--mantine-color-error)" id={`${id}-error`} role="alert">
            {error}
          </Text>
        )}
        {said && enter && back !== undefined && (
          <Button
            size="compact-sm"
            variant="default"
            className="setting-back"
            leftSection={<IconArrowBackUp size={14} aria-hidden />}
            onClick={() => {
              enter(undefined);
              document.getElementById(`${id}-field`)?.focus(); // the button goes away
            }}
            aria-label={texts.takeDefaultOf(back, s.label)}
          >
            {texts.takeDefault(back)}
          </Button>
        )}
        {lock && <Checkbox size="xs" label={texts.lock} aria-label={texts.lockOf(s.label)} checked={lock.on} disabled={set === undefined} onChange={(e) => lock.set(e.currentTarget.checked)} />}
      </Stack>
    </div>
  );
}
