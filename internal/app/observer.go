package app

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/telemetry"
)

// observer forwards events of the parts to the metrics.
type observer struct{ m *telemetry.Metrics }

func (o observer) JobEnded(kind, lane, outcome string, took time.Duration) {
	o.m.Job(kind, lane, outcome, took)
}
func (o observer) Dispatched(lane string, hints int) { o.m.Dispatched(lane, hints) }
func (o observer) LaneState(lane string, _, _, dead int64, oldestDue time.Duration) {
	o.m.QueueLag(lane, oldestDue)
	o.m.DeadJobs(lane, int(dead))
}

func (o observer) GateWaited(key string, write bool, took time.Duration) {
	kind := "read"
	if write {
		kind = "write"
	}
	o.m.GateWait(hostOf(key), kind, took)
}
func (o observer) GateBlocked(key string, _ time.Duration) { o.m.GateBlock(hostOf(key), "host") }

// GateDeferred implements [gate.Observer].
func (o observer) GateDeferred(key string) { o.m.GateBlock(hostOf(key), "sweeps") }

// hostOf returns the first word of a budget key. The rest names an installation, which must not become a
// label.
func hostOf(key string) string {
	host, _, _ := strings.Cut(key, "|")
	return host
}

func (o observer) ObserveExchange(_ context.Context, a codehost.Exchange) {
	o.m.HostRequest(a.Host, a.Op, hostClass(a), a.Took)
}

// hostClass returns the label of a host's answer: its class of status, "limited" if the host limits the
// rate, or "network" if there was no answer.
func hostClass(a codehost.Exchange) string {
	switch {
	case a.Class == codehost.ClassLimited:
		return "limited"
	case a.Status < 100 || a.Status > 599:
		return "network"
	}
	return strconv.Itoa(a.Status/100) + "xx"
}

func (o observer) Published(kind, outcome string) { o.m.Publish(kind, outcome) }

func (o observer) DeliveryProcessed(event, disposition string) { o.m.Delivery(event, disposition) }
func (o observer) RunEntered(state string)                     { o.m.Run(state) }
func (o observer) ReviewStarted(delay time.Duration)           { o.m.ReviewStarted(delay) }

func (o observer) WebhookAnswered(source, outcome string, took time.Duration) {
	o.m.WebhookAnswer(source, outcome, took)
}

func (o observer) ModelCalled(provider, tier, outcome string, took time.Duration, usage llm.Usage, costMicros int64) {
	o.m.ModelCall(telemetry.ModelCall{Provider: provider, Tier: tier, Outcome: outcome, Took: took, InputTokens: usage.InputTokens,
		OutputTokens: usage.OutputTokens, CostMicros: costMicros, Currency: budget.Currency})
}

// AssistantCalled implements mcpserver.Observer.
func (o observer) AssistantCalled(kind, name, outcome string, took time.Duration) {
	o.m.AssistantCall(kind, name, outcome, took)
}
