package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// maxExaminedDeliveries is how many deliveries a page of [Store.Deliveries] examines (design choice), so that a
// filter with few matches does not read the whole table.
const maxExaminedDeliveries = 20_000

// deliveryUndecided is the state in a [DeliveryFilter] for unprocessed deliveries.
const deliveryUndecided = "undecided"

// DeliveryFilter narrows the deliveries of the instance; zero fields do not narrow it.
type DeliveryFilter struct {
	GUID    string // the host's id
	Source  string // the app or connection that received it
	Kind    string // of the host: [KindGitHub], or a [domain.ConnectionKind]
	Tenant  string
	State   string // a [domain.Disposition], or [deliveryUndecided]
	SinceUS int64  // received at this time or later
	Before  string // id of the last delivery of the former page; "" for the newest page
	Limit   int
}

// DeliveryRow is a delivery in a list, without its body and with the kind of its host.
type DeliveryRow struct {
	Delivery
	Kind string // "" if the app or connection was deleted
}

const deliveryKind = `COALESCE((SELECT a.kind FROM apps a WHERE a.id = source_id), (SELECT c.kind FROM provider_connections c
	WHERE c.id = source_id),
	(SELECT k.kind FROM tracker_connections k WHERE k.id = source_id), '')`

// Deliveries lists matching deliveries, newest first, among the newest [maxExaminedDeliveries] before f.Before.
// With a GUID it examines only deliveries with that id. The order is that of the ids, which grow with time.
func (s *Store) Deliveries(ctx context.Context, f DeliveryFilter) ([]DeliveryRow, error) {
	query, args := f.statement()
	return many(ctx, s, func(r scanner, d *DeliveryRow) error {
		return r.Scan(&d.ID, &d.Source, text(&d.Tenant), &d.GUID, &d.Event, &d.Action, &d.SHA256, &d.ReceivedUS, number(&d.ProcessedUS),
			text((*string)(&d.Disposition)), &d.Reason, text(&d.RunID), &d.Kind)
	}, query, args...)
}

func (f DeliveryFilter) statement() (string, []any) {
	c := conditions{text: `SELECT id, source_id, tenant_id, delivery_guid, event, action, raw_sha256, received_us, processed_us,
		disposition, reason, run_id, ` + deliveryKind + `
		FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE TRUE`}
	if f.GUID != "" {
		c.and(`delivery_guid = ?`, f.GUID)
	}
	if f.Before != "" {
		c.and(`id < ?`, f.Before)
	}
	c.then(` ORDER BY id DESC LIMIT ?)`, maxExaminedDeliveries)
	for _, part := range []struct{ text, value string }{
		{`source_id = ?`, f.Source}, {deliveryKind + ` = ?`, f.Kind}, {`tenant_id = ?`, f.Tenant},
		{`COALESCE(disposition, '` + deliveryUndecided + `') = ?`, f.State},
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

// JobsAbout reads the jobs about subjects, in no particular order.
func (s *Store) JobsAbout(ctx context.Context, subjects []string) ([]Job, error) {
	return manyIn(ctx, s, scanJob, subjects, `SELECT `+jobColumns+` FROM jobs WHERE subject IN ({list})`)
}

// RunsForWork reads runs of any tenant by their ids, in no particular order.
func (s *Store) RunsForWork(ctx context.Context, ids []string) ([]Run, error) {
	return manyIn(ctx, s, scanRun, ids, `SELECT `+runColumns+` FROM review_runs WHERE id IN ({list})`)
}

// DeadFilter narrows the dead letters; zero fields do not narrow it.
type DeadFilter struct {
	Kind    domain.JobKind
	Lane    domain.Lane
	Tenant  string
	SinceUS int64  // died at this time or later
	Before  Cursor // by time of death; zero for the newest page
	Limit   int
}

// DeadJobs lists dead letters, the latest death first.
func (s *Store) DeadJobs(ctx context.Context, f DeadFilter) ([]Job, error) {
	return many(ctx, s, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE state = 'dead' AND (finished_us, id) < ($1, $2) AND finished_us >= $3
		AND ($4 = '' OR kind = $4) AND ($5 = '' OR lane = $5) AND ($6 = '' OR tenant_id = $6) ORDER BY finished_us DESC, id DESC LIMIT $7`,
		f.Before.from(), f.Before.ID, f.SinceUS, string(f.Kind), string(f.Lane), f.Tenant, f.Limit)
}
