package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/store"
)

type deliveriesCmd struct {
	Show deliveriesShowCmd `cmd:"" help:"Show what became of a webhook delivery."`
}

type deliveriesShowCmd struct {
	GUID    string `arg:"" name:"guid" help:"Id of the delivery, as the code host shows it (X-GitHub-Delivery)."`
	Payload bool   `help:"Also the body as it was received, while it is kept."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (deliveriesShowCmd) Help() string {
	return `Examples:

    assay deliveries show 72d3162e-cc78-11e3-81ab-4c9367dc0958
    assay deliveries show 72d3162e-cc78-11e3-81ab-4c9367dc0958 --json --payload`
}

// deliveryInfo is the JSON form of a delivery.
type deliveryInfo struct {
	ID          string          `json:"id"`
	GUID        string          `json:"guid"`
	Source      string          `json:"source"`
	Event       string          `json:"event"`
	Action      string          `json:"action"`
	SHA256      string          `json:"sha256"`
	ReceivedAt  *time.Time      `json:"receivedAt"`
	ProcessedAt *time.Time      `json:"processedAt,omitempty"`
	State       string          `json:"state"`
	Reason      string          `json:"reason,omitempty"`
	RunID       string          `json:"runId,omitempty"`
	TenantID    string          `json:"tenantId,omitempty"`
	Jobs        []jobInfo       `json:"jobs"`
	Payload     json.RawMessage `json:"payload,omitempty"`
}

// Run implements the command.
func (d *deliveriesShowCmd) Run(e *env) error {
	return e.withStore(func(ctx context.Context, _ config.Config, s *store.Store) error {
		rows, err := s.DeliveriesByGUID(ctx, d.GUID)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return fmt.Errorf("no delivery with this id was received; the code host's page of the app or webhook shows what it sent and " +
				"can send it again")
		}
		out := []deliveryInfo{}
		for _, r := range rows {
			jobs, err := s.JobsOf(ctx, r.ID)
			if err != nil {
				return err
			}
			out = append(out, d.info(r, jobs))
		}
		if d.JSON {
			return writeJSON(e.stdout, out)
		}
		for _, i := range out {
			if err := printDelivery(e, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func (d *deliveriesShowCmd) info(r store.Delivery, jobs []store.Job) deliveryInfo {
	i := deliveryInfo{ID: r.ID, GUID: r.GUID, Source: r.Source, Event: r.Event, Action: r.Action, SHA256: r.SHA256,
		ReceivedAt: instant(r.ReceivedUS), ProcessedAt: instant(r.ProcessedUS),
		State: deliveryState(r, jobs), Reason: r.Reason, RunID: r.RunID, TenantID: r.Tenant, Jobs: []jobInfo{}}
	for _, j := range jobs {
		i.Jobs = append(i.Jobs, toJobInfo(j))
	}
	if d.Payload && json.Valid(r.Payload) {
		i.Payload = r.Payload
	}
	return i
}

// deliveryState returns the state for people: received, queued, or the disposition.
func deliveryState(r store.Delivery, jobs []store.Job) string {
	if r.Disposition != "" {
		return string(r.Disposition)
	}
	for _, j := range jobs {
		if j.DispatchedUS > 0 {
			return "queued"
		}
	}
	return "received"
}

func printDelivery(e *env, i deliveryInfo) error {
	rows := [][]string{{"delivery", i.ID}, {"guid", i.GUID}, {"event", cell(i.Event+" "+i.Action, 80)}, {"source", cell(i.Source, 80)},
		{"received", when(i.ReceivedAt)},
		{"processed", when(i.ProcessedAt)}, {"state", i.State}, {"reason", cell(i.Reason, 200)}, {"run", cell(i.RunID, 80)},
		{"sha256", cell(i.SHA256, 80)}}
	if err := pairs(e.stdout, rows); err != nil {
		return err
	}
	if len(i.Jobs) > 0 {
		fmt.Fprintln(e.stdout)
		if err := printJobs(e.stdout, i.Jobs); err != nil {
			return err
		}
	}
	if i.Payload != nil {
		fmt.Fprintln(e.stdout)
		return writeJSON(e.stdout, i.Payload)
	}
	return nil
}
