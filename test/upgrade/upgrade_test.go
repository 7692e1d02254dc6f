package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance/keys"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/dialect"
)

// shrinks are tables that a step may leave with fewer rows, or remove, as "step table", with the
// reason.
var shrinks = map[string]string{}

// gone are lists of a release that are now shorter or gone, as the route table named them, with the
// reason.
var gone = map[string]string{
	"/auth/trackers/tracker-b/callback": "answered 501 once, and is built: see notWalked",
}

// TestUpgrade brings every dump to the newest schema, one step after the other, and reads everything
// with the newest code.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	eachDump(t, func(t *testing.T, d dump, url string) {
		t.Parallel()
		db := open(t, url)
		d.load(t, db)
		stepwise(t, db)
		sameSchema(t, readSchema(t, db), newest(t, d.engine, 0), "after the upgrade", "in a new database")
		intact(t, db)
		must(t, db.Close())

		s := serve(t, url)
		got := s.walk()
		for path, items := range d.answers(t) {
			if now, asked := got[path]; (!asked || now < items) && gone[pattern(path)] == "" {
				t.Errorf("GET %s had %d items at %s; now it has %d (asked: %v)", path, items, d.release, now, asked)
			}
		}
		s.verifyLogs()
		s.openSecrets()
		s.readStore()
		s.replaceKeys()
	})
}

// TestReleasedStepsStand: an edited migration of a release would give one version number two schemas,
// and instances of the release have the old one.
func TestReleasedStepsStand(t *testing.T) {
	t.Parallel()
	eachDump(t, func(t *testing.T, d dump, url string) {
		t.Parallel()
		db := open(t, url)
		defer db.Close()
		d.load(t, db)
		at, err := steps(t, db).GetDBVersion(bg)
		must(t, err)
		sameSchema(t, readSchema(t, db), newest(t, d.engine, at), "in the release "+d.release, fmt.Sprintf("after today's steps up to %d", at))
	})
}

// newest returns the schema of a new database after the steps up to a number; 0 is all.
func newest(t *testing.T, engine dialect.Name, upTo int64) schema {
	t.Helper()
	db := open(t, empty(t, engine))
	defer db.Close()
	p := steps(t, db)
	if upTo == 0 {
		for _, s := range p.ListSources() {
			upTo = max(upTo, s.Version)
		}
	}
	_, err := p.UpTo(bg, upTo)
	must(t, err)
	return readSchema(t, db)
}

// stepwise runs the pending migrations one by one. Each keeps the existing rows.
func stepwise(t *testing.T, db *dialect.DB) {
	t.Helper()
	p := steps(t, db)
	before := counts(t, db)
	for {
		pending, err := p.HasPending(bg)
		must(t, err)
		if !pending {
			return
		}
		done, err := p.UpByOne(bg)
		if err != nil {
			t.Fatalf("a step fails with rows in the tables: %v", err)
		}
		after := counts(t, db)
		for table, n := range before {
			if now, there := after[table]; (!there || now < n) && shrinks[fmt.Sprint(done.Source.Version, " ", table)] == "" {
				t.Errorf("step %d leaves %d of %d rows of %s (there: %v)", done.Source.Version, now, n, table, there)
			}
		}
		before = after
	}
}

// counts returns the number of rows of each table.
func counts(t *testing.T, db *dialect.DB) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for _, table := range tables(t, db) {
		out[table] = number(t, db, "SELECT count(*) FROM "+table)
	}
	return out
}

// intact makes the checks that the engine makes only on demand.
func intact(t *testing.T, db *dialect.DB) {
	t.Helper()
	if !db.SingleWriter() {
		return // keys are checked when they are made
	}
	if bad := texts(t, db, `SELECT "table" || ' ' || rowid || ' refers to no ' || parent FROM pragma_foreign_key_check`); len(bad) > 0 {
		t.Errorf("foreign_key_check: %v", bad)
	}
	if said := texts(t, db, `SELECT integrity_check FROM pragma_integrity_check`); !slices.Equal(said, []string{"ok"}) {
		t.Errorf("integrity_check: %v", said)
	}
}

// pattern returns a path with * for the ids.
func pattern(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if len(p) > 20 && p[3] == '_' {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// owners returns all tenants, and the instance with an empty id.
func (s *service) owners() []domain.Tenant {
	s.t.Helper()
	tenants, err := s.Store.Tenants(bg)
	must(s.t, err)
	out := []domain.Tenant{{}}
	for _, t := range tenants {
		out = append(out, domain.Tenant{ID: t.ID})
	}
	return out
}

// verifyLogs verifies every audit log, which must have entries.
func (s *service) verifyLogs() {
	s.t.Helper()
	for _, owner := range s.owners() {
		if r, err := s.Audit.Verify(bg, owner, ""); err != nil || !r.OK || r.Size == 0 {
			s.t.Errorf("audit log of %q: %+v %v", owner.ID, r, err)
		}
	}
}

// plain are columns of bytes that are not sealed.
var plain = []string{"keysets.wrapped", "webhook_deliveries.payload", "run_stages.output", "run_diff_files.hunks", "dry_run_stages.output", "fix_run_stages.output", "audit_entries.body_hash", "audit_entries.salt", "audit_entries.leaf_hash", "audit_hashes.hash",
	"code_blobs.content", "code_segments.chunks", "code_segments.stale_files", "code_words.content"}

// unsealed are tables with sealed columns that are empty in the oldest dump, because its release did
// not write them. Tests of the features call storetest.Sealed for them.
var unsealed = []string{"hook_removals", "instance_documents", "sast_documents", "tracker_grants"}

// openSecrets opens every sealed value, and uses every data key. Every column of bytes is either plain
// or listed by the store, which seals its values again when data keys are replaced.
func (s *service) openSecrets() {
	s.t.Helper()
	known := map[string]bool{}
	for _, c := range store.SealedColumns() {
		known[c.Table+"."+c.Column] = true
		values, err := s.Store.SealedValues(bg, c, "", 1000)
		must(s.t, err)
		if len(values) == 0 && !slices.Contains(unsealed, c.Table) {
			s.t.Errorf("%s.%s has no value", c.Table, c.Column)
		}
		for _, v := range values {
			if _, err := s.Keyring.Open(bg, secret.Scope{Tenant: v.Tenant, Table: v.Table, Row: v.Row, Column: v.Column}, v.Sealed); err != nil {
				s.t.Errorf("%s of %s: %v", c.Column, v.Row, err)
			}
		}
	}
	for _, table := range tables(s.t, s.db) {
		for _, c := range columns(s.t, s.db, table) {
			if name := table + "." + c.name; c.bytes && !slices.Contains(plain, name) && !known[name] {
				s.t.Errorf("%s is neither plain nor in store.SealedColumns", name)
			}
		}
	}
	for _, owner := range texts(s.t, s.db, `SELECT owner FROM keysets`) {
		if _, err := s.Keyring.Seal(bg, secret.Scope{Tenant: owner, Table: "t", Row: "r", Column: "c"}, []byte("x")); err != nil {
			s.t.Errorf("the data key of %s: %v", owner, err)
		}
	}
}

// replaceKeys gives the database a new instance key and new data keys while the service runs: every
// value is sealed again and still opens.
func (s *service) replaceKeys() {
	s.t.Helper()
	before := s.sealedWith()
	fresh := secret.New(secret.NewToken(secret.InstanceKey).Reveal() + "," + instanceKey().Reveal())
	ring, err := secret.NewKeyring(fresh, secret.KeyStoreFuncs{LoadFunc: s.Store.LoadKeyset, CreateFunc: s.Store.CreateKeyset, KeptFunc: s.Store.AfterCommit})
	must(s.t, err)
	r, err := (&keys.Service{Store: s.Store, Keyring: ring, Audit: audit.New(s.Store, ring, s.Logger)}).Rewrap(bg, true)
	must(s.t, err)
	if len(r.Broken) > 0 || r.Resealed != int64(len(before)) {
		s.t.Errorf("%d secrets, %d of them were sealed again: %+v", len(before), r.Resealed, r)
	}
	for at, id := range s.sealedWith() {
		if before[at] == id {
			s.t.Errorf("%s is sealed with the earlier data key", at)
		}
	}
	s.Keyring = ring
	s.openSecrets()
}

// sealedWith lists the data keys that seal, by column and row.
func (s *service) sealedWith() map[string]uint32 {
	s.t.Helper()
	out := map[string]uint32{}
	for _, c := range store.SealedColumns() {
		values, err := s.Store.SealedValues(bg, c, "", 1000)
		must(s.t, err)
		for _, v := range values {
			id, ok := secret.SealedWith(v.Sealed)
			if !ok {
				s.t.Errorf("%s.%s of %s is not sealed", c.Table, c.Column, v.Row)
			}
			out[c.Table+"."+c.Column+" of "+v.Row] = id
		}
	}
	return out
}

// readStore reads through the store what the interface does not show.
func (s *service) readStore() {
	s.t.Helper()
	st := s.Store
	each := func(query string, read func(tenant domain.Tenant, id string) error) {
		s.t.Helper()
		rows := texts(s.t, s.db, query)
		if len(rows) == 0 {
			s.t.Errorf("no row is read: %s", query)
		}
		for _, row := range rows {
			tenant, id, _ := strings.Cut(row, " ")
			if err := read(domain.Tenant{ID: tenant}, id); err != nil {
				s.t.Errorf("%s, %s: %v", query, row, err)
			}
		}
	}
	each(`SELECT ' ' || subject FROM jobs`, func(_ domain.Tenant, subject string) error { return second(st.JobsOf(bg, subject)) })
	each(`SELECT ' ' || id FROM webhook_deliveries`, func(_ domain.Tenant, id string) error { return second(st.Delivery(bg, id)) })
	each(`SELECT tenant_id || ' ' || id FROM events`, func(t domain.Tenant, id string) error { return second(st.Event(bg, t, id)) })
	each(`SELECT tenant_id || ' ' || id FROM notification_deliveries`, func(t domain.Tenant, id string) error { return second(st.Notification(bg, t, id)) })
	each(`SELECT tenant_id || ' ' || id FROM push_deliveries`, func(t domain.Tenant, id string) error { return second(st.PushDelivery(bg, t, id)) })
	each(`SELECT tenant_id || ' ' || id FROM publications`, func(t domain.Tenant, id string) error {
		_, err := st.Writes(bg, t, "publication", id)
		return firstOf(err, second(st.PublicationByID(bg, t, id)))
	})
	each(`SELECT tenant_id || ' ' || id FROM review_runs`, func(t domain.Tenant, id string) error {
		run, err := st.RunForWork(bg, id)
		_, outErr := st.LatestOutput(bg, t, id)
		return firstOf(err, absent(outErr), second(st.Transitions(bg, t, id)), second(st.RunFindings(bg, t, id)), second(st.RunUsage(bg, t, id)), absent(second(st.NewerRun(bg, t, run))))
	})
	each(`SELECT tenant_id || ' ' || output_id FROM approvals`, func(t domain.Tenant, id string) error {
		return firstOf(second(st.Approval(bg, t, id)), second(st.Output(bg, t, id)))
	})
	each(`SELECT tenant_id || ' ' || id FROM triage_runs`, func(t domain.Tenant, id string) error {
		run, err := st.TriageForWork(bg, id)
		return firstOf(err, second(st.TriageTransitions(bg, t, id)), second(st.TriageLabels(bg, t, run.PullRequest)), second(st.TriageOfHead(bg, t, run.PullRequest, run.HeadSHA)))
	})
	each(`SELECT tenant_id || ' ' || id FROM dry_runs`, func(t domain.Tenant, id string) error {
		return firstOf(second(st.DryRunForWork(bg, id)), second(st.DryRunTransitions(bg, t, id)), second(st.DryPulls(bg, t, id)))
	})
	each(`SELECT tenant_id || ' ' || id FROM fix_runs`, func(t domain.Tenant, id string) error {
		run, err := st.FixRunForWork(bg, id)
		_, _, countErr := st.FixFigures(bg, t, run.Repository, 0, 1<<60)
		return firstOf(err, countErr)
	})
	each(`SELECT tenant_id || ' ' || run_id || ' ' || stage || ' ' || input_hash FROM run_stages`, func(t domain.Tenant, key string) error {
		part := strings.Fields(key)
		_, ok, err := st.StageResult(bg, t, part[0], part[1], part[2])
		if err == nil && !ok {
			err = errs.New(errs.NotFound, "stage", "the stage is not found")
		}
		return err
	})
	each(`SELECT tenant_id || ' ' || id FROM pull_requests`, func(t domain.Tenant, id string) error {
		return firstOf(second(st.PullRequest(bg, t, id)), second(st.KnownFindings(bg, t, id)), second(st.ReviewedHunks(bg, t, id, "main", domain.DepthFull)), second(st.OpenRuns(bg, t, id, "")), absent(second(st.PublishedBefore(bg, t, id, ""))))
	})
	each(`SELECT ' ' || id FROM users`, func(_ domain.Tenant, id string) error {
		return firstOf(second(st.UserByID(bg, id)), second(st.IdentitiesOf(bg, id)), second(st.HostTokensOf(bg, id)), second(st.MembershipsOf(bg, id)))
	})
	each(`SELECT ' ' || id FROM installations`, func(_ domain.Tenant, id string) error { return second(st.Installation(bg, id)) })
	for name, read := range map[string]func(context.Context) error{
		"gates":     func(ctx context.Context) error { return second(st.Gates(ctx)) },
		"lanes":     func(ctx context.Context) error { return second(st.LaneStates(ctx)) },
		"apps":      func(ctx context.Context) error { return second(st.Apps(ctx)) },
		"push key":  func(ctx context.Context) error { return second(st.PushKey(ctx)) },
		"setup":     func(ctx context.Context) error { return second(st.Setup(ctx)) },
		"runs":      func(ctx context.Context) error { return second(st.SearchRuns(ctx, store.OperatorFilter{Limit: 100})) },
		"open call": func(ctx context.Context) error { return second(st.OpenCalls(ctx, 1<<62, 100)) },
	} {
		if err := read(bg); err != nil {
			s.t.Errorf("%s: %v", name, err)
		}
	}
}

// second returns the error of a read.
func second[T any](_ T, err error) error { return err }

// absent ignores a not-found error.
func absent(err error) error {
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	return err
}

func firstOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
