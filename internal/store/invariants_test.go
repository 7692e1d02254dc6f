package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// violated returns the counts that are not 0.
func violated(t testing.TB, s *store.Store) map[string]int {
	t.Helper()
	all := must2(s.Violations(bg))(t)
	out := map[string]int{}
	for i, v := range all {
		testkit.Equal(t, "order", v.Invariant, store.Invariants()[i])
		testkit.Equal(t, "examples of "+v.Invariant, len(v.Examples), min(v.Count, 3))
		if v.Count > 0 {
			out[v.Invariant] = v.Count
		}
	}
	testkit.Require(t, "invariants", len(all), len(store.Invariants()))
	return out
}

// reviewed is a healthy history: a delivery, its run and one visible review.
func reviewed(t testing.TB, s *store.Store, number int, guid string) (storetest.World, store.Delivery, store.Run) {
	t.Helper()
	w := storetest.Seed(t, s)
	must2(s.Ingest(bg, delivery(w.App.ID, guid)))(t)
	d := must2(s.DeliveriesByGUID(bg, guid))(t)[0]
	v := victim{publishing: publishing{World: w}}
	run, _ := chosen(t, s, &v, number)
	testkit.OK(t, s.Dispose(bg, d.ID, w.Tenant.ID, domain.DispositionRun, "", run.ID))
	raw(t, s, `UPDATE publications SET phase = 'PUBLISHED' WHERE run_id = $1`, run.ID)
	raw(t, s, `UPDATE review_runs SET state = 'completed', trigger_event = 'pull_request.opened', delivery_id = $2 WHERE id = $1`, run.ID, d.ID)
	raw(t, s, `UPDATE jobs SET state = 'done', finished_us = {now}`)
	raw(t, s, `UPDATE review_runs SET state = 'skipped' WHERE id = $1`, w.Run.ID)
	return w, d, run
}

// Each violation that is planted in a healthy history is found by its invariant and by no other. Young
// rows and rows that are being worked on are not violations.
func TestInvariants(t *testing.T) {
	const old = ` = {now} - CAST(14400000000 AS BIGINT)` // four hours
	for name, c := range map[string]struct {
		plant []string // $1: the run, $2: the delivery, $3: another run of the same head
		want  string
	}{
		"healthy":                         {nil, ""},
		"healthy and old":                 {[]string{`UPDATE webhook_deliveries SET received_us` + old, `UPDATE review_runs SET created_us` + old}, ""},
		"no disposition, young":           {[]string{`UPDATE webhook_deliveries SET disposition = NULL WHERE id = $2`}, ""},
		"no disposition, and no open job": {[]string{`UPDATE webhook_deliveries SET disposition = NULL, received_us = {now} - 700000000 WHERE id = $2`}, store.InvariantUndisposed},
		"no disposition, and an open job": {[]string{`UPDATE webhook_deliveries SET disposition = NULL, received_us = {now} - 700000000 WHERE id = $2`,
			`UPDATE jobs SET state = 'queued', finished_us = NULL WHERE subject = $2`}, ""},
		"no disposition for hours": {[]string{`UPDATE webhook_deliveries SET disposition = NULL, received_us` + old + ` WHERE id = $2`,
			`UPDATE jobs SET state = 'queued', finished_us = NULL WHERE subject = $2`}, store.InvariantUndisposed},
		"the run is gone":             {[]string{`UPDATE webhook_deliveries SET run_id = 'run_none' WHERE id = $2`}, store.InvariantRunGone},
		"the tenant is gone":          {[]string{`UPDATE webhook_deliveries SET run_id = 'run_none', tenant_id = 'ten_none' WHERE id = $2`}, ""},
		"stuck":                       {[]string{`UPDATE publications SET phase = 'PREPARED' WHERE run_id = $1`, `UPDATE review_runs SET state = 'running', created_us` + old + ` WHERE id = $1`}, store.InvariantRunStuck},
		"stuck, young":                {[]string{`UPDATE publications SET phase = 'PREPARED' WHERE run_id = $1`, `UPDATE review_runs SET state = 'running' WHERE id = $1`}, ""},
		"on its way":                  {[]string{`UPDATE review_runs SET state = 'running', created_us` + old + ` WHERE id = $1`, `UPDATE jobs SET state = 'queued', finished_us = NULL WHERE subject = $1`}, ""},
		"on its way for days":         {[]string{`UPDATE review_runs SET state = 'running', created_us = {now} - CAST(90000000000 AS BIGINT) WHERE id = $1`, `UPDATE jobs SET state = 'queued', finished_us = NULL WHERE subject = $1`}, store.InvariantRunStuck},
		"waits for a person":          {[]string{`UPDATE review_runs SET state = 'awaiting_approval', created_us` + old + ` WHERE id = $1`}, ""},
		"two visible reviews":         {[]string{`UPDATE review_runs SET state = 'completed', trigger_event = 'pull_request.reopened', created_us = created_us + 1 WHERE id = $3`, publishedToo}, store.InvariantTwice},
		"two that a person wanted":    {[]string{`UPDATE review_runs SET state = 'completed', trigger_event = 'rerun', created_us = created_us + 1 WHERE id = $3`, publishedToo}, ""},
		"two by a command":            {[]string{`UPDATE review_runs SET state = 'completed', trigger_event = 'command.review_full', created_us = created_us + 1 WHERE id = $3`, publishedToo}, ""},
		"one of two is invisible":     {[]string{`UPDATE review_runs SET state = 'completed', created_us = created_us + 1 WHERE id = $3`, strings.ReplaceAll(publishedToo, "'review'", "'edit'")}, ""},
		"visible, and failed":         {[]string{`UPDATE review_runs SET state = 'failed' WHERE id = $1`}, store.InvariantContradicts},
		"completed, and invisible":    {[]string{`UPDATE publications SET phase = 'ABANDONED' WHERE run_id = $1`}, store.InvariantContradicts},
		"silent":                      {[]string{`UPDATE publications SET phase = 'PREPARED', kind = 'none' WHERE run_id = $1`}, ""},
		"unsettled":                   {[]string{`UPDATE publications SET settle_us = 1, phase = 'CHOSEN', created_us` + old + ` WHERE run_id = $1`, `UPDATE review_runs SET state = 'publishing', created_us` + old + ` WHERE id = $1`}, store.InvariantUnsettled},
		"unsettled, but not for long": {[]string{`UPDATE publications SET settle_us = 1, phase = 'CHOSEN' WHERE run_id = $1`, `UPDATE review_runs SET state = 'publishing', created_us` + old + ` WHERE id = $1`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				w, d, run := reviewed(t, s, 91, "g")
				twin := storetest.Run(t, s, must2(s.PullRequest(bg, w.Tenant, run.PullRequest))(t), "cmd:1")
				raw(t, s, `UPDATE review_runs SET state = 'skipped' WHERE id = $1`, twin.ID)
				testkit.Equal(t, "before", fmt.Sprint(violated(t, s)), "map[]")
				ids := map[string]string{"$1": run.ID, "$2": d.ID, "$3": twin.ID}
				for _, text := range c.plant {
					for mark, id := range ids {
						text = strings.ReplaceAll(text, mark, "'"+id+"'")
					}
					raw(t, s, text)
				}
				want := map[string]int{}
				if c.want != "" {
					want[c.want] = 1
				}
				testkit.Equal(t, "violated", fmt.Sprint(violated(t, s)), fmt.Sprint(want))
			})
		})
	}
}

// publishedToo gives the run $3 a visible review, like that of $1.
const publishedToo = `INSERT INTO publications (id, tenant_id, run_id, output_id, kind, payload, payload_sha256, phase, gen, created_us, updated_us)
	SELECT 'pub_twin', tenant_id, $3, output_id, 'review', payload, payload_sha256, 'PUBLISHED', gen, created_us, updated_us FROM publications WHERE run_id = $1`

// The queries read indexes in a large history.
func TestInvariantsUseIndexes(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		fill(t, s, 20_000)
		raw(t, s, `UPDATE review_runs SET created_us = created_us - CAST(900000000000 AS BIGINT)`) // most of a history is older than a day
		raw(t, s, `UPDATE webhook_deliveries SET received_us = received_us - CAST(900000000000 AS BIGINT)`)
		raw(t, s, `ANALYZE`)
		for _, name := range store.Invariants() {
			text, args := store.InvariantStatement(name)
			p := plan(t, s, s.DB().SQL(text), args...)
			if bad := scans(p); len(bad) > 0 || strings.Contains(p, "Seq Scan on webhook_deliveries") || strings.Contains(p, "SCAN d\n") || strings.Contains(p, "SCAN r\n") {
				t.Errorf("%s reads a whole table:\n%s", name, p)
			}
			if testing.Verbose() {
				t.Logf("%s\n%s", name, p)
			}
		}
	})
}
