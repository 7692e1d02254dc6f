package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// lookedThrough is how many of the newest deliveries before its place a list of them
// looks through (design choice): a filter that few fit does not read the whole table.
const lookedThrough = 20_000

// deliveryUndecided is the state of a [DeliveryFilter] for deliveries that were not
// processed yet.
const deliveryUndecided = "undecided"

// DeliveryFilter narrows the deliveries of the instance; a part that is zero does not.
type DeliveryFilter struct {
	GUID    string // the host's id
	Source  string // the app or connection that received it
	Kind    string // of the host: [KindGitHub], or a [domain.ConnectionKind]
	Tenant  string
	State   string // a [domain.Disposition], or [deliveryUndecided]
	SinceUS int64  // received then or later
	Before  string // id of the last one that is known; "" for the newest page
	Limit   int
}

// DeliveryRow is a delivery in a list: without its body, and with the kind of its host.
type DeliveryRow struct {
	Delivery
	Kind string // "" where the app or the connection is gone
}

const deliveryKind = `COALESCE((SELECT a.kind FROM apps a WHERE a.id = source_id), (SELECT c.kind FROM provider_connections c WHERE c.id = source_id),
	(SELECT k.kind FROM tracker_connections k WHERE k.id = source_id), '')`

// Deliveries lists deliveries, the newest first: of the newest [lookedThrough] before
// its place those that match; all of a host's id, which an index has. Identifiers are
// in the order in which they were made.
func (s *Store) Deliveries(ctx context.Context, f DeliveryFilter) ([]DeliveryRow, error) {
	query, args := f.statement()
	return many(ctx, s, func(r scanner, d *DeliveryRow) error {
		return r.Scan(&d.ID, &d.Source, text(&d.Tenant), &d.GUID, &d.Event, &d.Action, &d.SHA256, &d.ReceivedUS, number(&d.ProcessedUS), text((*string)(&d.Disposition)), &d.Reason, text(&d.RunID), &d.Kind)
	}, query, args...)
}

func (f DeliveryFilter) statement() (string, []any) {
	c := conditions{text: `SELECT id, source_id, tenant_id, delivery_guid, event, action, raw_sha256, received_us, processed_us, disposition, reason, run_id, ` + deliveryKind + `
		FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE TRUE`}
	if f.GUID != "" {
		c.and(`delivery_guid = ?`, f.GUID)
	}
	if f.Before != "" {
		c.and(`id < ?`, f.Before)
	}
	c.then(` ORDER BY id DESC LIMIT ?)`, lookedThrough)
	for _, part := range []struct{ text, value string }{
		{`source_id = ?`, f.Source}, {deliveryKind + ` = ?`, f.Kind}, {`tenant_id = ?`, f.Tenant}, {`COALESCE(disposition, '` + deliveryUndecided + `') = ?`, f.State},
	} {
		if part.value != "" {
			c.and(part.text, part.value)
		}
	}
	if f.SinceUS > 0 {
		c.and(`received_us >= ?`, f.SinceUS)
	}
	c.then(` ORDER BY id DESC LIMIT ?`, f.Limit)
	return c.text, c.args
}

// JobsAbout reads the jobs about subjects, in no order.
func (s *Store) JobsAbout(ctx context.Context, subjects []string) ([]Job, error) {
	return manyIn(ctx, s, scanJob, subjects, `SELECT `+jobColumns+` FROM jobs WHERE subject IN ({list})`)
}

// RunsForWork reads runs of any tenants by their ids, in no order; each carries its tenant.
func (s *Store) RunsForWork(ctx context.Context, ids []string) ([]Run, error) {
	return manyIn(ctx, s, scanRun, ids, `SELECT `+runColumns+` FROM review_runs WHERE id IN ({list})`)
}

// DeadFilter narrows the dead letters; a part that is zero does not.
type DeadFilter struct {
	Kind    domain.JobKind
	Lane    domain.Lane
	Tenant  string
	SinceUS int64  // given up then or later
	Before  Cursor // by the time when it was given up; zero for the newest page
	Limit   int
}

// DeadJobs lists dead letters, those first that were given up last.
func (s *Store) DeadJobs(ctx context.Context, f DeadFilter) ([]Job, error) {
	return many(ctx, s, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE state = 'dead' AND (finished_us, id) < ($1, $2) AND finished_us >= $3
		AND ($4 = '' OR kind = $4) AND ($5 = '' OR lane = $5) AND ($6 = '' OR tenant_id = $6) ORDER BY finished_us DESC, id DESC LIMIT $7`,
		f.Before.from(), f.Before.ID, f.SinceUS, string(f.Kind), string(f.Lane), f.Tenant, f.Limit)
}
