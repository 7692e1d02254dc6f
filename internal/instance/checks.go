package instance

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// AppCheck is one line of an app's test.
type AppCheck struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// AppChecks is the outcome of an app's test.
type AppChecks struct {
	Checks []AppCheck `json:"checks"`
}

func (c *AppChecks) add(ok bool, name, good, bad string) {
	if !ok {
		good = bad
	}
	c.Checks = append(c.Checks, AppCheck{name, ok, good})
}

// TestApp checks an app: its key, number, name and client id, the form of its webhook secret, its webhook,
// and each missing or unneeded permission and event. It stores the name and owner that the host returns,
// and records the test in the audit log.
func (s *Service) TestApp(ctx context.Context, id string) (AppChecks, error) {
	row, err := s.Store.App(ctx, id)
	if err != nil {
		return AppChecks{}, err
	}
	out, err := s.checkApp(ctx, row)
	if err != nil {
		return AppChecks{}, err
	}
	act := audit.Act{Action: "codehost-app.test", Target: s.appOf(ctx, row).target()}
	if i := slices.IndexFunc(out.Checks, func(c AppCheck) bool { return !c.OK }); i >= 0 {
		act.Result, act.Note = audit.Failed, "The first check that failed is "+out.Checks[i].Name+"."
	}
	return out, s.Audit.Record(ctx, act)
}

func (s *Service) checkApp(ctx context.Context, row store.App) (AppChecks, error) {
	out := AppChecks{Checks: []AppCheck{}}
	s.testSecrets(ctx, &out, row)
	if s.Hosts == nil {
		out.add(false, "privateKey", "", "no host is asked by this process")
		return out, nil
	}
	host, err := s.Hosts.App(ctx, row.ID)
	if err != nil {
		out.add(false, "privateKey", "", "the stored private key cannot be opened or read; enter it again")
		return out, nil
	}
	app, err := host.App(ctx)
	if err != nil {
		out.add(false, "privateKey", "", hostSentence(err))
		return out, nil
	}
	out.add(true, "privateKey", "the host takes it", "")
	out.add(app.ID == row.ExternalID, "appId", "is the app's", "is not that of the app whose key is stored")
	out.add(strings.EqualFold(app.Slug, row.Slug), "slug", "is the app's", "is not the app's; the host's is taken over now")
	out.add(app.ClientID == "" || app.ClientID == row.ClientID, "clientId", "is the app's", "is not the app's; people can't sign in")
	s.testHook(ctx, &out, host)
	for _, one := range []struct {
		kind string
		all  []string
	}{{"missing", github.Missing(app)}, {"surplus", github.Surplus(app)}} {
		for _, line := range one.all {
			name, bad := line, "is missing: add it in the app's settings on the host, and let each account accept it"
			if one.kind == "surplus" {
				bad = "is more than needed: take it away in the app's settings on the host"
			}
			out.add(false, name, "", bad)
		}
	}
	if len(github.Missing(app))+len(github.Surplus(app)) == 0 {
		out.add(true, "permissions", "all that is needed, and no more", "")
		out.add(true, "events", "all that is needed, and no more", "")
	}
	s.takeNote(ctx, row, app)
	return out, nil
}

func (s *Service) testSecrets(ctx context.Context, out *AppChecks, row store.App) {
	for _, one := range []struct {
		column, name string
		sealed       []byte
	}{{"webhook_secret", "webhookSecret", row.WebhookSecret}, {"next_webhook_secret", "nextWebhookSecret", row.NextWebhookSecret},
		{"client_secret", "clientSecret", row.ClientSecret}} {
		if len(one.sealed) == 0 {
			if one.name != "nextWebhookSecret" {
				out.add(false, one.name, "", "is not set")
			}
			continue
		}
		v, err := s.Keyring.OpenSecret(ctx, appScope(row.ID, one.column), one.sealed)
		out.add(err == nil && (one.name == "clientSecret" && v.IsSet() || shape(v)), one.name, "is stored and has a good shape",
			"cannot be opened, or is shorter than 16 characters; enter it again")
	}
}

func shape(v secret.Secret) bool { return len(v.Reveal()) >= minWebhookSecret }

// testHook checks the webhook settings on the host.
func (s *Service) testHook(ctx context.Context, out *AppChecks, host *github.Host) {
	want := s.BaseURL(ctx) + github.HookPath
	hook, err := host.HookConfig(ctx)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound || err == nil && hook.URL == "":
		out.add(false, "webhook", "", "is not active: switch it on in the app's settings on the host, with the URL "+want)
		return
	case err != nil:
		out.add(false, "webhook", "", hostSentence(err))
		return
	}
	out.add(hook.URL == want, "webhook", "goes to this instance", "does not go to this instance: it must be "+want)
	out.add(hook.Signed, "webhook secret", "is set on the host", "is not set on the host: enter the same one there")
	out.add(hook.JSON, "webhook content type", "is application/json", "must be application/json")
	out.add(!hook.InsecureTLS, "webhook TLS", "the certificate is checked",
		"the host does not check the certificate: switch SSL verification on")
}

// takeNote stores the host's present data of an app.
func (s *Service) takeNote(ctx context.Context, row store.App, app github.App) {
	old := row
	copyAppData(&row, app)
	if row.Slug == old.Slug && row.Name == old.Name && row.HTMLURL == old.HTMLURL && row.OwnerLogin == old.OwnerLogin &&
		row.OwnerID == old.OwnerID || app.ID != row.ExternalID {
		return
	}
	_, _ = s.Store.UpdateApp(ctx, row, store.AppSecrets{}) // after a concurrent change, the next test stores it
}

// SetupItem is a line of the checklist.
type SetupItem struct {
	Name    string `json:"name" enum:"baseUrl,app,installation,connection,modelKey,tiers,firstReview" doc:"app and installation are there where an app is registered, connection where a code host is connected by one; app alone where there is neither"`
	State   string `json:"state" enum:"done,todo,failed"`
	Message string `json:"message"`
	Link    string `json:"link" doc:"Path of the page of the console where it is done, or from which a tenant's pages are reached"`
}

// SetupChecklist lists the remaining steps of the setup.
type SetupChecklist struct {
	Complete bool        `json:"complete"`
	Items    []SetupItem `json:"items"`
}

// Checklist checks the whole instance. For tenant steps it only reports whether any tenant has done them.
func (s *Service) Checklist(ctx context.Context) (SetupChecklist, error) {
	f, err := s.Store.SetupFacts(ctx)
	if err != nil {
		return SetupChecklist{}, err
	}
	out := SetupChecklist{Complete: true}
	add := func(name string, ok bool, done, todo, link string) {
		item := SetupItem{name, "done", done, link}
		if !ok {
			item.State, item.Message, out.Complete = "todo", todo, false
		}
		out.Items = append(out.Items, item)
	}
	base := s.BaseURL(ctx)
	u, err := url.Parse(base)
	local := err != nil || loopback(u.Hostname())
	add("baseUrl", !local, base+" answers.", "The public base URL is of this machine alone: a code host can't deliver to it. Set "+
		"ASSAY_PUBLIC_BASE_URL.", "/instance/settings")
	if s.Reach != nil && !local {
		if err := s.Reach(ctx, base+"/healthz"); err != nil {
			out.Items[0].State, out.Items[0].Message, out.Complete = "failed", base+
				" does not answer when this process asks. Check DNS, certificate and proxy, from outside too.", false
		}
	}
	if f.Apps > 0 || f.Connections == 0 {
		add("app", f.Apps > 0, fmt.Sprintf("%d registered.", f.Apps),
			"No code host is connected: register a GitHub App, or let an admin of a tenant connect another host.", "/instance/apps")
	}
	if f.Apps > 0 {
		waiting := "The app is not installed on any account."
		if f.Unplaced > 0 {
			waiting = fmt.Sprintf("%d installations wait to be placed in a tenant.", f.Unplaced)
		}
		add("installation", f.Installed > 0, fmt.Sprintf("Installed on %d accounts; %d wait to be placed.", f.Installed, f.Unplaced),
			waiting, "/instance/apps")
	}
	if f.Connections > 0 {
		add("connection", f.Connected > 0, fmt.Sprintf("%d of %d connections to code hosts work.", f.Connected, f.Connections),
			"No connection to a code host works; the admins of its tenant see why, and mend it.", "/instance/tenants")
	}
	add("modelKey", f.ModelKeys > 0, "A tenant has stored a model key.", "No tenant has stored a model key; its admins do that.",
		"/instance/tenants")
	add("tiers", f.Routed > 0, "A tenant has routed its model tiers.", "No tenant has routed its model tiers; its admins do that.",
		"/instance/tenants")
	add("firstReview", f.Completed > 0, "A review was published.",
		"No review has run to its end yet. Open a pull request in a connected repository.", "/")
	return out, nil
}

// DropRuns deletes a batch of runs whose retention has ended. Housekeeping calls it.
func (s *Service) DropRuns(ctx context.Context) error {
	days := s.Live(ctx).Retention.RunsDays
	if days == 0 {
		return nil
	}
	_, err := s.Store.DropRuns(ctx, daysOf(days), 500)
	if errs.Is(err, errs.NotFound) { // a row still refers to a run
		return nil
	}
	return err
}
