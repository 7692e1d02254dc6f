import { useId } from "react";
import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { settings as texts } from "@/texts/settings";
import { OriginMark, type Origin } from "@/ui/OriginMark";
import { StateMark } from "@/ui/StateMark";
import { Entry, hint } from "./Entry";
import type { Value } from "./table";
import { valueText, type Worded } from "./words";

/** Where a value that is not said at this place comes from. */
export interface Inherited {
  value: Value;
  origin: Origin;
}

interface Props {
  setting: Worded;
  /** What is said here; undefined: nothing, and what is inherited holds. */
  value: Value | undefined;
  /** undefined: every setting is said here, and nothing is inherited. */
  inherited: Inherited | undefined;
  /** What becomes of it; undefined: the person may not change it. */
  set: ((value: Value | undefined) => void) | undefined;
  locked?: boolean;
  /** Why nobody can change it here. */
  fixed?: string | undefined;
  /** What the document says of the place that locks; undefined where nothing is locked here. */
  lock?: { on: boolean; set: (on: boolean) => void } | undefined;
  notInEffect: Schemas["NotInEffect"] | undefined;
  error: string | undefined;
  listed?: readonly { id: string; name: string }[];
}

/** One setting: what it is, what holds and why, and where somebody may, the field that changes it. */
export function SettingRow({ setting: s, value, inherited, set, locked = false, fixed, lock, notInEffect, error, listed = [] }: Props) {
  const id = useId();
  const said = value !== undefined;
  const mayEnter = set !== undefined && !locked;
  return (
    <div className="setting" id={`setting-${s.name}`} data-setting={s.name}>
      <Stack gap={2}>
        <Group gap="xs">
          {said && mayEnter ? (
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
          {s.help} {said && mayEnter ? hint(s) : ""}
        </Text>
        {notInEffect && (
          <Text size="sm" className="wrap-anywhere">
            <b>{texts.notInEffect}</b> {notInEffect.note} {notInEffect.actsAs === undefined ? "" : texts.acts(valueText(s, notInEffect.actsAs as Value))}
          </Text>
        )}
      </Stack>
      <Stack gap="xs" className="setting-value">
        {said && mayEnter ? (
          <Entry setting={s} value={value} change={set} id={`${id}-field`} describedBy={error ? `${id}-help ${id}-error` : `${id}-help`} error={error} listed={listed} />
        ) : (
          <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
            <Text className="wrap-anywhere">{valueText(s, said ? value : inherited?.value, listed)}</Text>
            {mayEnter && inherited && (
              <Button size="compact-sm" variant="default" flex="none" onClick={() => set(inherited.value)} aria-label={texts.setHereOf(s.label)}>
                {texts.setHere}
              </Button>
            )}
          </Group>
        )}
        {error && (
          <Text size="sm" c="var(--mantine-color-error)" id={`${id}-error`} role="alert">
            {error}
          </Text>
        )}
        {said && mayEnter && inherited && (
          <Group gap="xs">
            <Button size="compact-sm" variant="default" onClick={() => set(undefined)} aria-label={texts.takeDefaultOf(s.label)}>
              {texts.takeDefault}
            </Button>
            <Text size="sm" c="dimmed">
              {valueText(s, inherited.value)}
            </Text>
          </Group>
        )}
        {lock && <Checkbox size="xs" label={texts.lock} aria-label={texts.lockOf(s.label)} checked={lock.on} disabled={set === undefined} onChange={(e) => lock.set(e.currentTarget.checked)} />}
      </Stack>
    </div>
  );
}
