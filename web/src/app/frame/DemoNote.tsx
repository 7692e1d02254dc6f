import { lazy, Suspense } from "react";
import { Button, Group } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { patiently } from "@/app/lazyPage";
import { text } from "@/texts";
import { demo } from "./demo";

const Tour = lazy(() => patiently(() => import("./Tour").then((m) => ({ default: m.Tour }))));

/** What is simulated here, where this is the demo: one line, which opens, and the tour. The browser keeps its step. A negative value (-1 - step) means that the person left the tour at that step. */
export function DemoNote({ tenantId }: { tenantId: string }) {
  const [step, go] = useLocalStorage({ key: "assay-demo-tour", defaultValue: -1, getInitialValueInEffect: false });
  if (!demo) return null;
  return (
    <div className="demo" role="note">
      <Group justify="space-between" gap="xs" align="flex-start" wrap="nowrap">
        <details>
          <summary>
            <strong>{text.frame.demo}</strong>
          </summary>
          {demo.note}
          <ul>
            {demo.links.map((l) => (
              <li key={l.url}>
                <a href={l.url} rel="noreferrer">
                  {l.title}
                </a>
              </li>
            ))}
          </ul>
        </details>
        {step < 0 && (
          <Button size="compact-sm" variant="default" onClick={() => go(-1 - step)}>
            {text.frame.tour}
          </Button>
        )}
      </Group>
      {step >= 0 && (
        <Suspense>
          <Tour demo={demo} tenantId={tenantId} step={step} go={go} />
        </Suspense>
      )}
    </div>
  );
}
