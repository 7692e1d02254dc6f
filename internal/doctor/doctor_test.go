package doctor_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// fakeApp has prepared answers of an app.
type fakeApp struct {
	app github.App
	err error
}

func (f fakeApp) App(context.Context) (github.App, error) { return f.app, f.err }
func (fakeApp) Installations(context.Context) ([]codehost.Installation, error) {
	return nil, nil
}

// fakeModel has prepared answers of an endpoint.
type fakeModel struct {
	models []llm.ModelInfo
	err    error
}

func (fakeModel) Complete(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, errors.New("doctor must not spend tokens")
}
func (f fakeModel) ListModels(context.Context) ([]llm.ModelInfo, error) { return f.models, f.err }

// patient is a healthy installation that each case damages.
type patient struct {
	t      *testing.T
	path   string // of the database
	o      doctor.Options
	app    fakeApp
	model  fakeModel
	route  bool
	links  tracking.ConnectionChecks // answers of the hosts of connections
	linkUp error
	asked  tracking.TrackerChecks // answer of an issue tracker
	stored string                 // public address in the settings of the instance
	world  storetest.World
	store  *store.Store
}

// deliver stores a delivery of the code host.
func (p *patient) deliver() {
	p.t.Helper()
	_, err := p.store.Ingest(p.t.Context(), store.NewDelivery{Source: p.world.App.ID, GUID: "guid-1", Event: "pull_request", SHA256: "x", Payload: []byte("{}"), FairKey: "f"})
	testkit.OK(p.t, err)
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	path := storetest.FileAt(t)
	p := &patient{t: t, path: path, store: storetest.Open(t, path), route: true, app: fakeApp{app: github.App{Permissions: github.Permissions(), Events: github.Events()}},
		model: fakeModel{models: []llm.ModelInfo{{ID: "m"}}}}
	p.world = storetest.Seed(t, p.store)
	c := config.Default()
	c.DataDir = t.TempDir()
	c.PublicBaseURL = "https://assay.example.com"
	p.o = doctor.Options{Config: c, Version: "dev", Parts: doctor.Parts{
		Store: func(ctx context.Context) (*store.Store, error) {
			return store.Open(ctx, p.path, store.Options{Beside: true}) // doctor closes the store that it opens
		},
		Keys: func(context.Context, *store.Store) error { return nil },
		App: func(context.Context, *store.Store, string) (doctor.AppClient, error) {
			return p.app, nil
		},
		Models: func(context.Context, *store.Store, string) (*ask.Models, error) {
			if !p.route {
				return nil, nil
			}
			return &ask.Models{Standard: ask.Route{Client: p.model, Model: "m", Tier: "standard"}}, nil
		},
		Connection: func(context.Context, *store.Store, store.ProviderConnection) (tracking.ConnectionChecks, error) {
			return p.links, p.linkUp
		},
		Tracker: func(context.Context, *store.Store, store.TrackerConnection) (tracking.TrackerChecks, error) {
			return p.asked, p.linkUp
		},
		Reach:   func(context.Context, string) error { return nil },
		BaseURL: func(context.Context, *store.Store) (string, error) { return p.stored, nil },
	}}
	return p
}

func (p *patient) examine() (map[string]doctor.Check, bool) {
	out := map[string]doctor.Check{}
	r := doctor.Examine(bg, p.o)
	for _, c := range r.Checks {
		out[c.Code] = c
	}
	return out, r.OK
}

// broken changes a row in a way that the service never does.
func (p *patient) broken(text string) {
	p.t.Helper()
	storetest.Beside(p.t, p.path)(text)
}

// linked is an installation without an app. Its tenant has a connection to another host, and a test of the
// connection returns these lines.
func (p *patient) linked(state string, lines ...tracking.ConnectionCheck) {
	p.t.Helper()
	p.path = filepath.Join(p.t.TempDir(), "linked.db")
	p.store = storetest.Open(p.t, p.path)
	_, err := p.store.Migrate(bg)
	testkit.OK(p.t, err)
	tenant, err := p.store.CreateTenant(bg, "Acme")
	testkit.OK(p.t, err)
	_, err = p.store.CreateProviderConnection(bg, domain.Tenant{ID: tenant.ID}, store.ProviderConnection{ID: "pcn_1", Kind: "forgejo", Name: "Forgejo", BaseURL: "https://git.example.com", Owner: "acme", Token: []byte("sealed"),
		AllRepositories: true, Repositories: "[]", Enabled: true, State: state})
	testkit.OK(p.t, err)
	p.links.Checks = append([]tracking.ConnectionCheck{{Name: "host", OK: true, Message: "It answers."}}, lines...)
}

// tracked gives the tenant of the world an issue tracker, and a test of the tracker returns these lines.
func (p *patient) tracked(lines ...tracking.TrackerCheck) {
	p.t.Helper()
	_, err := p.store.CreateTrackerConnection(bg, p.world.Tenant, store.TrackerConnection{ID: "tcn_1", Kind: "jira", Name: "Issues", BaseURL: "https://issues.example.com", AuthKind: "token",
		Token: []byte("sealed"), Projects: "[]", Mapping: "{}", Enabled: true, State: "active"})
	testkit.OK(p.t, err)
	p.asked.Checks = lines
}

// published gives the run of the world a visible review.
func (p *patient) published() {
	p.t.Helper()
	t, run := p.world.Tenant, p.world.Run.ID
	out, err := p.store.CreateOutput(bg, t, run, "", "{}", "d")
	testkit.OK(p.t, err)
	p.broken(`INSERT INTO publications (id, tenant_id, run_id, output_id, kind, payload, payload_sha256, phase, gen, created_us, updated_us)
		VALUES ('pub_1', '` + t.ID + `', '` + run + `', '` + out.ID + `', 'review', '{}', 'sha', 'PUBLISHED', 1, 1, 1)`)
}

func TestChecks(t *testing.T) {
	refused := func(c codehost.Class) error { return &codehost.Error{Class: c} }
	for name, c := range map[string]struct {
		ill    func(p *patient)
		code   string
		status doctor.Status
		says   string
	}{
		"healthy app":        {func(*patient) {}, "D013", doctor.OK, "right"},
		"no connection":      {func(*patient) {}, "D024", doctor.Skip, "a GitHub App connects its hosts"},
		"healthy connection": {func(p *patient) { p.linked("active") }, "D024", doctor.OK, "https://git.example.com answers"},
		"no app is needed":   {func(p *patient) { p.linked("active") }, "D013", doctor.Skip, "none is needed"},
		"nor installations":  {func(p *patient) { p.linked("active") }, "D014", doctor.Skip, "D024"},
		"token refused": {func(p *patient) {
			p.linked("error", tracking.ConnectionCheck{Name: "token", Message: "The host refuses the token."})
		}, "D024", doctor.Fail, "enters a new token"},
		"token ends": {func(p *patient) {
			p.linked("active", tracking.ConnectionCheck{Name: "expiry", Message: "It ends on 2026-12-24."})
		}, "D024", doctor.Warn, "2026-12-24"},
		"account may little": {func(p *patient) {
			p.linked("active", tracking.ConnectionCheck{Name: "rights", Message: "No administrator."})
		}, "D024", doctor.Warn, "No administrator."},
		"token may little": {func(p *patient) {
			p.linked("error", tracking.ConnectionCheck{Name: "rights", Message: "It may not write."})
		}, "D024", doctor.Fail, "It may not write."},
		"forge is down":   {func(p *patient) { p.linked("active"); p.links.Checks[0].OK = false }, "D024", doctor.Fail, "firewall"},
		"token is lost":   {func(p *patient) { p.linked("active"); p.linkUp = errors.New("sealed") }, "D024", doctor.Fail, "token again"},
		"no tracker":      {func(*patient) {}, "D025", doctor.Skip, ""},
		"healthy tracker": {func(p *patient) { p.tracked(tracking.TrackerCheck{Name: "tracker", OK: true, Message: "It answers."}) }, "D025", doctor.OK, "https://issues.example.com: It answers."},
		"tracker is off": {func(p *patient) {
			p.tracked()
			p.broken(`UPDATE tracker_connections SET enabled = 0`)
		}, "D025", doctor.Skip, ""},
		"tracker is down":    {func(p *patient) { p.tracked(tracking.TrackerCheck{Name: "tracker", Message: "It does not answer."}) }, "D025", doctor.Warn, "firewall"},
		"tracker refuses":    {func(p *patient) { p.tracked(tracking.TrackerCheck{Name: "account", Message: "It refuses the token."}) }, "D025", doctor.Fail, "enters a new token"},
		"tracker lacks some": {func(p *patient) { p.tracked(tracking.TrackerCheck{Name: "projects", Message: "PAY is not there."}) }, "D025", doctor.Warn, "PAY is not there."},
		"tracker token lost": {func(p *patient) { p.tracked(); p.linkUp = errors.New("sealed") }, "D025", doctor.Fail, "token again"},
		"without a host": {func(p *patient) {
			p.linked("active")
			p.broken(`UPDATE provider_connections SET enabled = 0`)
		}, "D013", doctor.Warn, "connect another host"},
		"healthy model":         {func(*patient) {}, "D015", doctor.OK, "standard m"},
		"installation":          {func(*patient) {}, "D014", doctor.OK, "1 active"},
		"no worker":             {func(*patient) {}, "D017", doctor.Warn, "assay worker"},
		"reachable":             {func(*patient) {}, "D012", doctor.OK, "answers"},
		"sizing":                {func(p *patient) { p.o.Config.Lanes.Review = 8 }, "D018", doctor.OK, "lanes.review 8 and 30 s per review about 16"},
		"app key refused":       {func(p *patient) { p.app.err = refused(codehost.ClassForbidden) }, "D013", doctor.Fail, "refuses the app's key"},
		"app unknown":           {func(p *patient) { p.app.err = refused(codehost.ClassNotFound) }, "D013", doctor.Fail, "knows no app"},
		"host down":             {func(p *patient) { p.app.err = refused(codehost.ClassUnavailable) }, "D013", doctor.Fail, "firewall"},
		"missing permission":    {func(p *patient) { delete(p.app.app.Permissions, "checks") }, "D013", doctor.Fail, "permission checks: write"},
		"missing event":         {func(p *patient) { p.app.app.Events = p.app.app.Events[1:] }, "D013", doctor.Fail, "event check_run"},
		"surplus permission":    {func(p *patient) { p.app.app.Permissions["secrets"] = "read" }, "D013", doctor.Warn, "permission secrets: read"},
		"no model":              {func(p *patient) { p.route = false }, "D015", doctor.Warn, "only deterministic checks"},
		"model key refused":     {func(p *patient) { p.model.err = &llm.Error{Class: llm.ClassCredential, Status: 401} }, "D015", doctor.Fail, "refuses the key"},
		"model down":            {func(p *patient) { p.model.err = &llm.Error{Class: llm.ClassRetryable} }, "D015", doctor.Fail, "does not answer"},
		"model unlisted":        {func(p *patient) { p.model.models = []llm.ModelInfo{{ID: "other"}} }, "D015", doctor.Warn, "does not list"},
		"no list of models":     {func(p *patient) { p.model.err = &llm.Error{Class: llm.ClassFinal, Status: 404} }, "D015", doctor.OK, "no list"},
		"clock ahead":           {func(p *patient) { p.o.Now = func() time.Time { return time.Now().Add(time.Minute) } }, "D008", doctor.Fail, "NTP"},
		"clock slightly behind": {func(p *patient) { p.o.Now = func() time.Time { return time.Now().Add(-5 * time.Second) } }, "D008", doctor.Warn, "NTP"},
		"keyset": {func(p *patient) {
			p.o.Parts.Keys = func(context.Context, *store.Store) error { return errors.New("broken") }
		}, "D007", doctor.Fail, "backups"},
		"no keyset": {func(p *patient) {
			p.o.Parts.Keys = func(context.Context, *store.Store) error { return doctor.ErrNoKeyset }
		}, "D007", doctor.Skip, ""},
		"keyset hides apps": {func(p *patient) {
			p.o.Parts.Keys = func(context.Context, *store.Store) error { return errors.New("broken") }
		}, "D013", doctor.Skip, ""},
		"unreachable": {func(p *patient) {
			p.o.Parts.Reach = func(context.Context, string) error { return errors.New("no route") }
		}, "D012", doctor.Warn, "no route"},
		"private address":       {func(p *patient) { p.o.Config.PublicBaseURL = "https://10.1.2.3" }, "D012", doctor.Warn, "private network"},
		"hosts on this machine": {func(p *patient) { p.o.Config.PublicBaseURL, p.o.LocalHosts = "", true }, "D012", doctor.OK, "run on this machine"},
		"unreachable from here, but delivered to": {func(p *patient) {
			p.o.Parts.Reach = func(context.Context, string) error { return errors.New("no route") }
			p.deliver()
		}, "D012", doctor.OK, "deliveries of a code host arrive"},
		"private address that is delivered to": {func(p *patient) {
			p.o.Config.PublicBaseURL = "https://10.1.2.3"
			p.deliver()
		}, "D012", doctor.OK, "deliveries of a code host arrive"},
		"stored public address": {func(p *patient) {
			p.o.Config.PublicBaseURL = ""
			p.stored = "https://stored.example.com"
		}, "D012", doctor.OK, "https://stored.example.com answers"},
		"no public address":      {func(p *patient) { p.o.Config.PublicBaseURL = "" }, "D012", doctor.Warn, "under Instance settings, or in ASSAY_PUBLIC_BASE_URL"},
		"no proxy":               {func(p *patient) { p.o.Config.PublicBaseURL = "http://localhost:8080" }, "D019", doctor.OK, "of the connection"},
		"proxies that are named": {func(p *patient) { p.o.Config.TrustedProxy = []string{"10.0.3.0/24"} }, "D019", doctor.OK, "X-Forwarded-For"},
		"proxy by https":         {func(*patient) {}, "D019", doctor.Warn, "ASSAY_TRUSTED_PROXIES"},
		"proxy by a setting": {func(p *patient) {
			p.o.Config.PublicBaseURL, p.o.Config.TrustProxyTLS = "http://assay.internal", true
		}, "D019", doctor.Warn, "ASSAY_TRUSTED_PROXIES"},
		"proxy by a stored public address": {func(p *patient) {
			p.o.Config.PublicBaseURL = ""
			p.stored = "https://stored.example.com"
		}, "D019", doctor.Warn, "ASSAY_TRUSTED_PROXIES"},
		"no database": {func(p *patient) {
			p.o.Parts.Store = func(context.Context) (*store.Store, error) { return nil, errors.New("gone") }
		}, "D004", doctor.Fail, "gone"},
		"newer schema": {func(p *patient) { p.o.Version = "0.0.0-alpha" }, "D005", doctor.Fail, "newer"},
		"configuration": {func(p *patient) {
			p.o.ConfigErr = config.Problems{{Name: "a", Message: "must be x"}, {Name: "b", Message: "must be y"}}
		}, "D001", doctor.Fail, "must be x; b must be y"},
		"unplaced": {func(p *patient) {
			_, _ = p.store.UpsertInstallation(bg, store.Installation{AppID: p.world.App.ID, ExternalID: "99", AccountID: "99", AccountLogin: "z", AccountType: "User"})
		}, "D014", doctor.Warn, "place-installation"},
		"dead letter": {func(p *patient) {
			_, _ = p.store.Enqueue(bg, store.NewJob{Kind: domain.KindReview, FairKey: "f", Subject: "run_x"})
			due, _ := p.store.DueJobs(bg, domain.LaneReview, 10, 0)
			for _, d := range due {
				if j, err := p.store.Claim(bg, d.ID, "w", time.Minute); err == nil {
					_, _ = p.store.KillJob(bg, d.ID, j.Gen, "broken")
				}
			}
		}, "D016", doctor.Warn, "jobs list --dead"},
		"nothing lost":  {func(*patient) {}, "D020", doctor.OK, ""},
		"nothing twice": {func(*patient) {}, "D021", doctor.OK, ""},
		"settled":       {func(*patient) {}, "D022", doctor.OK, ""},
		"delivery lost": {func(p *patient) {
			p.broken(`INSERT INTO webhook_deliveries (id, source_id, delivery_guid, event, action, raw_sha256, received_us) VALUES ('dlv_lost', 'app', 'g', '', '', '', 1)`)
		}, "D020", doctor.Warn, "1 acknowledged deliveries have no disposition (such as dlv_lost)"},
		"run never ends": {func(p *patient) { p.broken(`UPDATE review_runs SET created_us = 1`) }, "D020", doctor.Warn, "1 runs do not end"},
		"visible and failed": {func(p *patient) {
			p.published()
			p.broken(`UPDATE review_runs SET state = 'failed'`)
		}, "D021", doctor.Warn, "1 runs end otherwise"},
		"unsettled": {func(p *patient) {
			p.published()
			p.broken(`UPDATE publications SET settle_us = 1, created_us = 1, phase = 'CHOSEN'`)
		}, "D022", doctor.Warn, "1 publications wait"},
		"each head has a check": {func(p *patient) {
			p.broken(`UPDATE pull_requests SET state = 'closed'`)
		}, "D026", doctor.OK, "each open head has a check"},
		"a head without a check": {func(p *patient) {
			p.broken(`UPDATE pull_requests SET created_us = 1`)
			p.broken(`UPDATE review_runs SET created_us = 1000000`)
		}, "D026", doctor.Warn, "since 1970-01-01T00:00:01Z"},
		"a head that was never asked for": {func(p *patient) {
			p.broken(`UPDATE pull_requests SET created_us = 1`)
			p.broken(`UPDATE review_runs SET head_sha = 'another'`)
		}, "D026", doctor.OK, "no event has asked"},
		"reviews are off": {func(p *patient) {
			p.broken(`UPDATE pull_requests SET created_us = 1`)
			p.broken(`UPDATE review_runs SET created_us = 1`)
			_ = p.store.PutSetting(bg, p.world.Tenant, "", store.SettingPolicy, `{"enabled":false}`)
		}, "D026", doctor.OK, "each open head has a check"},
		"worker": {func(p *patient) {
			_ = p.store.RecordHeartbeat(bg, store.Process{ID: "wrk_1", Version: "dev"}, map[domain.Lane]int{domain.LaneReview: 1})
		}, "D017", doctor.OK, "1 alive"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPatient(t)
			c.ill(p)
			checks, ok := p.examine()
			got := checks[c.code]
			if got.Status != c.status || !strings.Contains(got.Message+" "+got.Fix, c.says) {
				t.Errorf("%+v, want %s with %q", got, c.status, c.says)
			}
			if got.Status == doctor.Fail && ok {
				t.Error("a failed check leaves the report in order")
			}
			if strings.Contains(got.Message, "\n") {
				t.Errorf("several lines: %q", got.Message)
			}
		})
	}
}

func TestEveryCheckHasACodeOfItsOwn(t *testing.T) {
	r := doctor.Examine(bg, newPatient(t).o)
	var codes []string
	names := map[string]bool{}
	for _, c := range r.Checks {
		codes = append(codes, c.Code)
		names[c.Name] = true
	}
	if !slices.IsSorted(codes) || len(slices.Compact(codes)) != 27 || len(names) != len(r.Checks) || !r.OK {
		t.Errorf("codes %v, ok %v: %+v", codes, r.OK, r.Checks)
	}
}

// The data folder is shown with the free space of its disk.
func TestTheDataFolderHasItsFreeSpace(t *testing.T) {
	t.Parallel()
	for _, c := range doctor.Examine(bg, newPatient(t).o).Checks {
		if c.Code == "D002" && !strings.Contains(c.Message, "free there") {
			t.Errorf("%s: %s", c.Code, c.Message)
		}
	}
}
