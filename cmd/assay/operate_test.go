package main

import (
	"context"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/dialect"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// onBoth runs a test per engine with a seeded database that stays open, as
// beside a running service.
func onBoth(t *testing.T, body func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World)) {
	storetest.EachURL(t, func(t *testing.T, url string) {
		vars := map[string]string{"ASSAY_DATABASE_URL": url, "ASSAY_DATA_DIR": t.TempDir()}
		if r := command(t, vars, "runs", "list"); r.code != exitFailed || !strings.Contains(r.stderr, "assay migrate") {
			t.Errorf("without a schema: exit code %d, %s", r.code, r.stderr)
		}
		if r := command(t, vars, "migrate", "--status"); r.code != exitFailed || !strings.Contains(r.stdout, "missing  0001_") {
			t.Errorf("status before: exit code %d, %s%s", r.code, r.stdout, r.stderr)
		}
		if out := good(t, command(t, vars, "migrate")); !strings.Contains(out, "missing  0001_") {
			t.Errorf("migrate: %s", out)
		}
		if out := good(t, command(t, vars, "migrate", "--status")); !strings.Contains(out, "done     0001_") {
			t.Errorf("status after: %s", out)
		}
		if out := good(t, command(t, vars, "migrate")); !strings.Contains(out, "up to date") {
			t.Errorf("migrate again: %s", out)
		}
		s := storetest.Open(t, url)
		body(t, vars, s, storetest.Seed(t, s))
	})
}

// rows returns the number that a query returns.
func rows(t *testing.T, vars map[string]string, query string, args ...any) (n int) {
	t.Helper()
	db, err := dialect.OpenBeside(context.Background(), vars["ASSAY_DATABASE_URL"])
	testkit.OK(t, err)
	defer db.Close() //nolint:errcheck // a test
	testkit.OK(t, db.Write.QueryRowContext(context.Background(), query, args...).Scan(&n))
	return n
}

func TestRuns(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World) {
		name := w.Repository.Owner + "/" + w.Repository.Name
		for want, args := range map[string][]string{
			"all":        nil,
			"repository": {"--repository", strings.ToUpper(name)},
			"number":     {"--pull-request", "1"},
			"state":      {"--state", string(w.Run.State)},
		} {
			if want == "number" && w.Run.Number != 1 {
				continue
			}
			list := decode[[]runInfo](t, good(t, command(t, vars, append([]string{"runs", "list", "--json"}, args...)...)))
			if len(list) != 1 || list[0].ID != w.Run.ID || list[0].Repository != name {
				t.Errorf("%s: %+v", want, list)
			}
		}
		for _, args := range [][]string{{"--pull-request", "9999"}, {"--state", "failed"}} {
			if list := decode[[]runInfo](t, good(t, command(t, vars, append([]string{"runs", "list", "--json"}, args...)...))); len(list) != 0 {
				t.Errorf("%v: %+v", args, list)
			}
		}
		if out := good(t, command(t, vars, "runs", "list")); !strings.Contains(out, w.Run.ID) || !strings.Contains(out, name) {
			t.Errorf("list:\n%s", out)
		}
		_, err := s.AddToolCall(t.Context(), w.Tenant, w.Run.ID, store.ToolCall{Stage: "verify", Tool: "definition", Arguments: `{"name":"Total"}`, Outcome: "ok", Hits: 3})
		testkit.OK(t, err)
		d := decode[runDetail](t, good(t, command(t, vars, "runs", "show", w.Run.ID, "--json")))
		if len(d.ToolCalls) != 1 || d.ToolCalls[0].Tool != "definition" || d.ToolCalls[0].At == nil {
			t.Errorf("looked at: %+v", d.ToolCalls)
		}
		if d.ID != w.Run.ID || len(d.Transitions) == 0 || d.Findings == nil && strings.Contains(d.State, "completed") {
			t.Errorf("show: %+v", d)
		}
		if out := good(t, command(t, vars, "runs", "show", w.Run.ID)); !strings.Contains(out, string(w.Run.State)) || !strings.Contains(out, `{"name":"Total"}`) || !strings.Contains(out, "not known") {
			t.Errorf("show:\n%s", out)
		}
		if r := command(t, vars, "runs", "show", "run_none"); r.code != exitFailed || !strings.Contains(r.stderr, "runs list") {
			t.Errorf("absent: exit code %d, %s", r.code, r.stderr)
		}
	})
}

func TestDeadLetters(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World) {
		kill := func(subject string) string {
			j := storetest.Job(t, s, domain.KindDelivery, "f", subject)
			c, err := s.Claim(context.Background(), j.ID, "wrk_1", 1e9)
			if err != nil {
				t.Fatal(err)
			}
			if dead, err := s.KillJob(context.Background(), j.ID, c.Gen, "broken \x1b[31m for good"); err != nil || !dead {
				t.Fatal(dead, err)
			}
			return j.ID
		}
		one, two := kill("dlv_1"), kill("dlv_2")
		if list := decode[[]jobInfo](t, good(t, command(t, vars, "jobs", "list", "--dead", "--json"))); len(list) != 2 {
			t.Errorf("dead: %+v", list)
		}
		if out := good(t, command(t, vars, "jobs", "list", "--dead")); !strings.Contains(out, one) || strings.Contains(out, "\x1b") {
			t.Errorf("dead:\n%q", out)
		}
		if out := good(t, command(t, vars, "jobs", "show", one)); !strings.Contains(out, "for good") {
			t.Errorf("show:\n%s", out)
		}
		if out := good(t, command(t, vars, "jobs", "redrive", one)); !strings.Contains(out, one) {
			t.Errorf("redrive:\n%s", out)
		}
		good(t, command(t, vars, "jobs", "discard", two, "--reason", "not needed"))
		if r := command(t, vars, "jobs", "redrive", two, "job_none"); r.code != exitFailed || !strings.Contains(r.stderr, "job_none") || !strings.Contains(r.stderr, two) {
			t.Errorf("redrive of a job that is not dead: exit code %d, %s", r.code, r.stderr)
		}
		if list := decode[[]jobInfo](t, good(t, command(t, vars, "jobs", "list", "--dead", "--json"))); len(list) != 0 {
			t.Errorf("dead afterwards: %+v", list)
		}
		if lanes := decode[[]laneInfo](t, good(t, command(t, vars, "jobs", "list", "--json"))); len(lanes) == 0 {
			t.Error("no lanes")
		}
		good(t, command(t, vars, "jobs", "list"))
		if r := command(t, vars, "jobs", "show", "job_none"); r.code != exitFailed {
			t.Errorf("absent: exit code %d", r.code)
		}
	})
}

func TestDeliveries(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World) {
		d := store.NewDelivery{Source: w.App.ID, GUID: "72d3162e-cc78-11e3-81ab-4c9367dc0958", Event: "pull_request", Action: "opened", SHA256: strings.Repeat("0", 64), Payload: []byte(`{"number":7}`)}
		if _, err := s.Ingest(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		list := decode[[]deliveryInfo](t, good(t, command(t, vars, "deliveries", "show", d.GUID, "--json")))
		if len(list) != 1 || list[0].State != "received" || list[0].Payload != nil || len(list[0].Jobs) != 1 {
			t.Errorf("%+v", list)
		}
		if out := good(t, command(t, vars, "deliveries", "show", d.GUID, "--payload")); !strings.Contains(out, `"number": 7`) || !strings.Contains(out, "pull_request opened") {
			t.Errorf("show:\n%s", out)
		}
		if r := command(t, vars, "deliveries", "show", "none"); r.code != exitFailed || !strings.Contains(r.stderr, "send it again") {
			t.Errorf("absent: exit code %d, %s", r.code, r.stderr)
		}
	})
}

// People choose their own names here. A name that several people have selects no person, and a name
// that looks like an id is not treated as an id.
func TestANameThatSeveralPeopleHave(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World) {
		person := func(name string) store.User {
			u, err := s.CreateUser(context.Background(), name, false)
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
		ada, mallory := person("Ada Admin"), person("ADA admin")
		mimic := person(ada.ID)
		for _, args := range [][]string{{"break-glass", "--user"}, {"instance-admin", "grant"}, {"member", "set", "--tenant", w.Tenant.ID}, {"tenant", "create", "Payments", "--admin"}} {
			r := command(t, vars, append(append([]string{"admin"}, args...), "ada admin")...)
			if r.code != exitFailed || r.stdout != "" || !strings.Contains(r.stderr, "several people have this name; give the id") || !strings.Contains(r.stderr, mallory.ID) {
				t.Errorf("%v: exit code %d, %s%s", args, r.code, r.stdout, r.stderr)
			}
		}
		good(t, command(t, vars, "admin", "instance-admin", "grant", ada.ID))
		for who, want := range map[string]bool{ada.ID: true, mallory.ID: false, mimic.ID: false} {
			if u, err := s.UserByID(context.Background(), who); err != nil || u.InstanceAdmin != want {
				t.Errorf("%s: %+v, %v", who, u, err)
			}
		}
	})
}

func TestAdmin(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World) {
		ctx := context.Background()
		if r := command(t, vars, "admin", "break-glass", "--user", "stranger"); r.code != exitFailed {
			t.Errorf("an unknown person: exit code %d, %s", r.code, r.stdout)
		}
		ada, err := s.CreateUser(ctx, "Ada", true)
		if err != nil {
			t.Fatal(err)
		}
		r := command(t, vars, "admin", "break-glass", "--user", "ada")
		link := strings.TrimSpace(good(t, r))
		if !strings.HasPrefix(link, "http://127.0.0.1:8080/auth/break-glass#token=assay_link_") || strings.Contains(r.stderr, "assay_link_") {
			t.Errorf("link %q, stderr %q", link, r.stderr)
		}
		id := strings.TrimSpace(good(t, command(t, vars, "admin", "tenant", "create", "Payments", "--admin", ada.ID)))
		if role, err := s.RoleOf(ctx, domain.Tenant{ID: id}, ada.ID); err != nil || role != domain.RoleAdmin {
			t.Errorf("role %q, %v", role, err)
		}
		if r := command(t, vars, "admin", "tenant", "create", "payments"); r.code != exitFailed || !strings.Contains(r.stderr, id) {
			t.Errorf("twice: exit code %d, %s", r.code, r.stderr)
		}
		if r := command(t, vars, "admin", "tenant", "create", "Other", "--admin", "stranger"); r.code != exitFailed {
			t.Errorf("unknown admin: exit code %d", r.code)
		}
		good(t, command(t, vars, "admin", "break-glass", "--user", ada.ID, "--life", "1m"))
		if n := rows(t, vars, `SELECT COUNT(*) FROM events WHERE tenant_id = $1 AND kind = 'security.break_glass' AND subject_id = $2 AND body LIKE '%"act":"created"%'`, id, ada.ID); n != 1 {
			t.Errorf("%d events tell the tenant of the link", n)
		}
		if n := rows(t, vars, `SELECT COUNT(*) FROM audit_entries WHERE action = 'break-glass.create' AND target_id = $1`, ada.ID); n != 2 {
			t.Errorf("%d entries for two links", n)
		}
		if r := command(t, vars, "admin", "break-glass", "--user", ada.ID, "--from", "10.0.0.0/8,192.0.2.7,2001:db8::/32"); r.code != exitOK || !strings.Contains(r.stderr, "from 10.0.0.0/8, 192.0.2.7/32, 2001:db8::/32 only") {
			t.Errorf("from networks: exit code %d, %s", r.code, r.stderr)
		}
		if n := rows(t, vars, `SELECT COUNT(*) FROM sign_in_links WHERE purpose = 'break-glass' AND networks = $1`, "10.0.0.0/8,192.0.2.7/32,2001:db8::/32"); n != 1 {
			t.Errorf("%d links of networks", n)
		}
		for _, from := range []string{"10.0.0.1/8", "0.0.0.0/0", "here", "10.0.0.0/33", "::ffff:10.0.0.1", "fe80::1%eth0", "10.0.0.0/8,,"} {
			if r := command(t, vars, "admin", "break-glass", "--user", ada.ID, "--from="+from); r.code != exitUsage || strings.Contains(r.stdout, "assay_link_") {
				t.Errorf("from %s: exit code %d, %s", from, r.code, r.stdout)
			}
		}
		for _, life := range []string{"59s", "61m", "-5m", "0s", "soon"} {
			if r := command(t, vars, "admin", "break-glass", "--user", ada.ID, "--life="+life); r.code != exitUsage || strings.Contains(r.stdout, "assay_link_") {
				t.Errorf("life %s: exit code %d, %s", life, r.code, r.stdout)
			}
		}
		names := good(t, command(t, vars, "admin", "tenant", "list"))
		if !strings.Contains(names, "Payments") || strings.Contains(names, "Other") {
			t.Errorf("tenants:\n%s", names)
		}
		in, err := s.UpsertInstallation(ctx, store.Installation{AppID: w.App.ID, ExternalID: "4242", AccountID: "9", AccountLogin: "zeta", AccountType: "Organization"})
		if err != nil {
			t.Fatal(err)
		}
		if out := good(t, command(t, vars, "admin", "place-installation")); !strings.Contains(out, in.ID) || !strings.Contains(out, "unplaced") {
			t.Errorf("installations:\n%s", out)
		}
		good(t, command(t, vars, "admin", "place-installation", "Zeta", "--tenant", "payments"))
		if r := command(t, vars, "admin", "place-installation", in.ID, "--tenant", w.Tenant.ID); r.code != exitFailed || !strings.Contains(r.stderr, "not moved") {
			t.Errorf("moving it: exit code %d, %s", r.code, r.stderr)
		}
		for _, args := range [][]string{{"none", "--tenant", id}, {in.ID, "--tenant", "none"}} {
			if r := command(t, vars, append([]string{"admin", "place-installation"}, args...)...); r.code != exitFailed || !strings.Contains(r.stderr, "list") {
				t.Errorf("%v: exit code %d, %s", args, r.code, r.stderr)
			}
		}
	})
}

// Without a database file the message names the setting of the folder.
func TestNoDatabaseYet(t *testing.T) {
	r := command(t, map[string]string{"ASSAY_DATA_DIR": t.TempDir()}, "runs", "list")
	if r.code != exitFailed || !strings.Contains(r.stderr, "there is no database yet") || !strings.Contains(r.stderr, "ASSAY_DATA_DIR") {
		t.Errorf("exit code %d, %s", r.code, r.stderr)
	}
}
