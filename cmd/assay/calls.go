package main

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

type callsCmd struct {
	Open   callsOpenCmd   `cmd:"" help:"List model calls that never ended; their reservations count on budgets."`
	Settle callsSettleCmd `cmd:"" help:"Say what a call that never ended has cost."`
}

// abandonedAge is the age from which a call is certainly abandoned, because no call is retried for that long.
const abandonedAge = time.Hour

// maxCallCost is the highest cost that can be entered for a call, in micros: a million dollars.
const maxCallCost = 1_000_000_000_000

type callsOpenCmd struct {
	All   bool `help:"Also calls that began less than an hour ago: they may be under way."`
	Limit int  `default:"50" help:"Most calls to list."`
	JSON  bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (callsOpenCmd) Help() string {
	return `The cost of a model call is unknown if its worker died. Until the call is settled, the most that it can have
cost counts on the budgets of its month and on the limits of its review.

Examples:

    assay calls open
    assay calls open --all --json`
}

// callInfo is the JSON form of a call that never ended.
type callInfo struct {
	ID             string     `json:"id"`
	TenantID       string     `json:"tenantId"`
	RepositoryID   string     `json:"repositoryId"`
	RunID          string     `json:"runId"`
	Tier           string     `json:"tier"`
	Model          string     `json:"model"`
	Period         string     `json:"period"`
	ReservedMicros int64      `json:"reservedMicros"`
	StartedAt      *time.Time `json:"startedAt"`
}

// Run implements the command.
func (c *callsOpenCmd) Run(e *env) error {
	if c.Limit < 1 || c.Limit > maxRows {
		return usageError("--limit must be a number from 1 to %d", maxRows)
	}
	return e.withStore(func(ctx context.Context, _ config.Config, s *store.Store) error {
		before, err := s.Now(ctx)
		if err != nil {
			return err
		}
		if before++; !c.All {
			before -= abandonedAge.Microseconds()
		}
		all, err := s.OpenCalls(ctx, before, c.Limit)
		if err != nil {
			return err
		}
		out, rows := []callInfo{}, [][]string{}
		for _, v := range all {
			i := callInfo{v.ID, v.Tenant, v.Repository, v.Run, v.Tier, v.Model, v.Period, v.Reserve, instant(v.StartedUS)}
			out = append(out, i)
			rows = append(rows, []string{i.ID, i.RunID, i.Tier, cell(i.Model, 40), i.Period, fmt.Sprint(i.ReservedMicros), when(i.StartedAt)})
		}
		if c.JSON {
			return writeJSON(e.stdout, out)
		}
		if len(rows) == 0 {
			e.say("No such call.")
			return nil
		}
		return table(e.stdout, []string{"CALL", "RUN", "TIER", "MODEL", "MONTH", "RESERVED MICROS", "BEGAN"}, rows)
	})
}

type callsSettleCmd struct {
	ID     string `arg:"" name:"id" help:"Id of the call (cal_…)."`
	Cost   int64  `required:"" name:"cost-micros" placeholder:"MICROS" help:"Charge of the provider, in millionths of a US dollar; may be 0."`
	Reason string `required:"" help:"Source of the cost, such as the provider's bill. The audit log keeps it."`
}

// Help implements kong.HelpProvider.
func (callsSettleCmd) Help() string {
	return `The cost replaces the reserved amount, in the month in which the call began. Take it from the provider's bill.
A running call is refused, because it settles itself.

Examples:

    assay calls settle cal_01m7yt79dxs426v7q74yh48b11 --cost-micros 0 --reason "not in the provider's usage export"`
}

// Run implements the command.
func (c *callsSettleCmd) Run(e *env) error {
	switch {
	case c.Cost < 0 || c.Cost > maxCallCost:
		return usageError("--cost-micros must be a number from 0 to %d", int64(maxCallCost))
	case c.Reason == "":
		return usageError("--reason must name the source of the cost, such as the provider's bill")
	}
	return e.withAudit(func(ctx context.Context, _ config.Config, s *store.Store, l *audit.Log) error {
		now, err := s.Now(ctx)
		if err != nil {
			return err
		}
		open, err := s.OpenCall(ctx, c.ID)
		if errs.Is(err, errs.NotFound) {
			return fmt.Errorf("there is no call with this id that never ended; `assay calls open` lists them")
		}
		if err != nil {
			return err
		}
		if now-open.StartedUS < abandonedAge.Microseconds() {
			return fmt.Errorf("the call began less than an hour ago and may be under way; settle it later")
		}
		t := domain.Tenant{ID: open.Tenant}
		var settled store.Settled
		err = l.Do(ctx, func(ctx context.Context) (audit.Act, error) {
			settled, err = s.EndCall(ctx, t, open.ID, store.ModelCall{CostMicros: &c.Cost, Outcome: "settled by an operator"})
			return audit.Act{Tenant: t, Action: "model-call.settle", Target: audit.Target{Kind: "model-call", ID: open.ID},
				Note: fmt.Sprintf("%d micros: %s", c.Cost, c.Reason)}, err
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s has cost %d micros; %d were reserved. %s has cost %d so far.\n", open.ID, c.Cost,
			settled.Reserved, settled.Period, settled.TenantSpent)
		return err
	})
}
