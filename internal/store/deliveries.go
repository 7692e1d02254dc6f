package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Delivery is a webhook delivery as it was received.
type Delivery struct {
	ID          string
	Source      string // the app or connection that received it
	Tenant      string // "" until the tenant is known
	GUID        string // the host's id of the delivery
	Event       string
	Action      string
	SHA256      string // hex, of the raw body
	Payload     []byte // nil after the retention time
	ReceivedUS  int64
	ProcessedUS int64
	Disposition domain.Disposition // "" until the delivery is processed
	Reason      string
	RunID       string
	Repository  domain.HostID // from the path of the webhook's address; "" without one
}

// NewDelivery is a delivery to store.
type NewDelivery struct {
	Source, Tenant, GUID, Event, Action, SHA256 string
	Payload                                     []byte
	FairKey                                     string        // see [Store.DueJobs]
	Repository                                  domain.HostID // from the path of the webhook's address; "" without one
	Ignored                                     string        // the reason to ignore the delivery, which gets no job then; "" to process it
}

// ingestArgs returns the arguments of [dialect.IngestStatement], in its order.
func (d NewDelivery) ingestArgs() (delivery, job []any) {
	id := domain.NewID("dlv")
	delivery = []any{id, d.Source, null(d.Tenant), d.GUID, d.Event, d.Action, d.SHA256, d.Payload, string(d.Repository)}
	job = []any{domain.NewID("job"), string(domain.KindDelivery), string(domain.LaneDelivery), d.FairKey, string(domain.KindDelivery) +
		":" + id}
	return delivery, job
}

// Ingest stores a delivery with its job, or with the reason for ignoring it, in one transaction. Both are
// durable when it returns without an error. If the source already used the delivery's id, it stores nothing
// and returns duplicate true.
func (s *Store) Ingest(ctx context.Context, d NewDelivery) (duplicate bool, err error) {
	if s.group != nil {
		return s.group.ingest(ctx, d)
	}
	delivery, job := d.ingestArgs()
	if d.Ignored != "" {
		stored, err := s.keepDelivery(ctx, d, delivery)
		return !stored, err
	}
	got, err := returned(ctx, s, value[string], ingestStatement, append(delivery, job...)...)
	if err != nil {
		return false, err
	}
	if duplicate = len(got) == 0; !duplicate {
		s.announceJobs(ctx)
	}
	return duplicate, nil
}

// keepDelivery stores a delivery without its job. args is the first result of [NewDelivery.ingestArgs]. It
// returns stored false if the source already used the delivery's id.
func (s *Store) keepDelivery(ctx context.Context, d NewDelivery, args []any) (stored bool, err error) {
	var disposition domain.Disposition
	if d.Ignored != "" {
		disposition = domain.DispositionIgnored
	}
	return s.exec1(ctx, `INSERT INTO webhook_deliveries (id, source_id, tenant_id, delivery_guid, event, action, raw_sha256, payload,
		repository, disposition, reason, received_us, processed_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, {now}, CASE WHEN $11 <> '' THEN {now} END)
			ON CONFLICT (source_id, delivery_guid) DO NOTHING`,
		append(args, null(string(disposition)), d.Ignored)...)
}

const deliveryColumns = `id, source_id, tenant_id, delivery_guid, event, action, raw_sha256, payload, received_us, processed_us, ` +
	`disposition, reason, run_id, repository`

func scanDelivery(r scanner, d *Delivery) error {
	return r.Scan(&d.ID, &d.Source, text(&d.Tenant), &d.GUID, &d.Event, &d.Action, &d.SHA256, &d.Payload, &d.ReceivedUS,
		number(&d.ProcessedUS), text((*string)(&d.Disposition)), &d.Reason, text(&d.RunID), &d.Repository)
}

// Delivery reads a delivery.
func (s *Store) Delivery(ctx context.Context, id string) (Delivery, error) {
	return one(ctx, s, scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE id = $1`, id)
}

// DeliveriesByGUID finds deliveries by the host's id, of any source.
func (s *Store) DeliveriesByGUID(ctx context.Context, guid string) ([]Delivery, error) {
	return many(ctx, s, scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE delivery_guid = $1 ORDER BY received_us`, guid)
}

// Dispose records the disposition of a delivery. The first one stays, except that a later disposition
// replaces failed.
func (s *Store) Dispose(ctx context.Context, id, tenant string, d domain.Disposition, reason, run string) error {
	_, err := s.exec(ctx, `UPDATE webhook_deliveries SET disposition = $2, reason = $3, run_id = $4,
		tenant_id = COALESCE(tenant_id, $5), processed_us = {now}
		WHERE id = $1 AND (disposition IS NULL OR disposition = 'failed')`, id, string(d), reason, null(run), null(tenant))
	return err
}

// DeliveredBefore reports whether the source delivered the same body before under another id, and that
// delivery has not failed. age is the time since d was received.
func (s *Store) DeliveredBefore(ctx context.Context, d Delivery) (before bool, age time.Duration, err error) {
	row, err := one(ctx, s, func(r scanner, v *[2]int64) error { return r.Scan(&v[0], &v[1]) }, `SELECT
			(SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries b WHERE b.raw_sha256 = $2 AND b.source_id = d.source_id AND b.raw_sha256 <> ''
				AND (b.received_us < d.received_us OR b.received_us = d.received_us AND b.id < d.id)
				AND (b.disposition IS NULL OR b.disposition <> 'failed') LIMIT 1) x),
			{now} - d.received_us
		FROM webhook_deliveries d WHERE d.id = $1`, d.ID, d.SHA256)
	return row[0] > 0, time.Duration(row[1]) * time.Microsecond, err
}

// KnownDeliveries returns the ids, among guids, of deliveries that a source has stored.
func (s *Store) KnownDeliveries(ctx context.Context, source string, guids []string) (map[string]bool, error) {
	known := map[string]bool{}
	got, err := manyIn(ctx, s, value[string], guids, `SELECT delivery_guid FROM webhook_deliveries WHERE source_id = $1
		AND delivery_guid IN ({list})`, source)
	for _, g := range got {
		known[g] = true
	}
	return known, err
}

// DropPayloads deletes the bodies of at most 500 processed deliveries older than olderUS microseconds, and
// returns their number.
func (s *Store) DropPayloads(ctx context.Context, olderUS int64) (int64, error) {
	return s.exec(ctx, `UPDATE webhook_deliveries SET payload = NULL WHERE id IN (
		SELECT id FROM webhook_deliveries WHERE received_us < {now} - $1 AND payload IS NOT NULL AND disposition IS NOT NULL LIMIT 500)`, olderUS)
}
