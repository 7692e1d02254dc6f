package tracking_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

// refused checks the kind and the code of an error.
func refused(t testing.TB, what string, err error, kind errs.Kind, code string) {
	t.Helper()
	if e, is := errors.AsType[*errs.Error](err); !is || e.Kind != kind || e.Code != code {
		t.Errorf("%s: %v, want %v with the code %s", what, err, kind, code)
	}
}

// hostToken is a token that looks real; it is made at run time.
func hostToken(n int) string { return "glpat-" + strings.Repeat("Yy4", 7) + fmt.Sprint(n) }

// provider creates a connection from a request in JSON.
func (b *bench) provider(body string) (tracking.ProviderConnection, error) {
	b.t.Helper()
	return b.Features.Tracking.CreateProvider(bg, b.Tenant, featuretest.Request[tracking.ProviderConnectionCreate](b.t, body))
}

// update changes a connection to a code host.
func (b *bench) update(id string, version int64, body string) (tracking.ProviderConnection, error) {
	b.t.Helper()
	return b.Features.Tracking.UpdateProvider(bg, b.Tenant, id, version, featuretest.Request[tracking.ProviderConnectionUpdate](b.t, body))
}

// track creates a connection to a tracker from a request in JSON.
func (d *desk) track(body string) (tracking.TrackerConnection, error) {
	d.t.Helper()
	return d.Features.Tracking.CreateTracker(bg, d.Tenant, featuretest.Request[tracking.TrackerConnectionCreate](d.t, body))
}

// change changes a connection to a tracker.
func (d *desk) change(id string, version int64, body string) (tracking.TrackerConnection, error) {
	d.t.Helper()
	return d.Features.Tracking.UpdateTracker(bg, d.Tenant, id, version, featuretest.Request[tracking.TrackerConnectionUpdate](d.t, body))
}

// verifying returns the webhook secrets that verify deliveries now, newest first.
func (b *bench) verifying(connection string) (out []string) {
	b.t.Helper()
	rows, err := b.Store.WebhookSecrets(bg, b.Tenant, connection)
	testkit.OK(b.t, err)
	for _, r := range rows {
		v, err := b.Features.Keyring.OpenSecret(bg, secret.Scope{Tenant: b.Tenant.ID, Table: "webhook_secrets", Row: r.ID, Column: "sealed"}, r.Sealed)
		testkit.OK(b.t, err)
		out = append(out, v.Reveal())
	}
	return out
}

// rotates creates a connection's secret three times. The second newest stays valid for a day.
func (b *bench) rotates(id, url string, rotate func() (tracking.WebhookSecret, error)) (made []string) {
	t := b.t
	t.Helper()
	var all []tracking.WebhookSecret
	for range 3 {
		v, err := rotate()
		testkit.OK(t, err)
		all, made = append(all, v), append(made, v.Secret)
	}
	if all[0].WebhookURL != url || all[0].PreviousValidUntil != nil || made[1] == made[0] || all[1].PreviousValidUntil == nil {
		t.Fatalf("rotated to %+v", all)
	}
	if left := time.Until(*all[1].PreviousValidUntil); left > tracking.SecretOverlap || left < tracking.SecretOverlap-time.Hour {
		t.Errorf("the secret before stays for %v", left)
	}
	if got := b.verifying(id); !slices.Equal(got, []string{made[2], made[1]}) {
		t.Errorf("%d secrets verify after three, want the last two", len(got))
	}
	return made
}

func TestProviderConnectionLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		acts := b.Features.Tracking
		made, err := b.provider(`{"kind":"gitea","baseUrl":"https://gitea.example.com","name":"Payments","owner":"payments","token":"` + hostToken(1) + `","repositories":["api","shop"]}`)
		testkit.OK(t, err)
		url := "https://assay.example.com/webhooks/host-e/" + made.ID
		if made.BaseURL != "https://gitea.example.com" || !made.TokenSet || !made.Enabled || made.State != "active" || made.WebhookURL != url || made.WebhookSecretSet || made.Repositories.All || made.Version != 1 {
			t.Fatalf("made %+v", made)
		}
		_, err = b.provider(`{"kind":"gitea","name":"Payments","baseUrl":"https://git.example.com","owner":"acme","token":"` + hostToken(1) + `","repositories":"all"}`)
		refused(t, "the name is taken", err, errs.Conflict, "already_exists")
		changed, err := b.update(made.ID, 1, `{"repositories":"all","enabled":false,"username":null}`)
		testkit.OK(t, err)
		if !changed.Repositories.All || changed.State != "disabled" || !changed.TokenUpdatedAt.Equal(*made.TokenUpdatedAt) || changed.Version != 2 {
			t.Errorf("changed %+v", changed)
		}
		_, err = b.update(made.ID, 1, `{"name":"x"}`)
		refused(t, "the version before", err, errs.Stale, "stale")
		rotate := func(id string) func() (tracking.WebhookSecret, error) {
			return func() (tracking.WebhookSecret, error) { return acts.RotateProviderSecret(bg, b.Tenant, id) }
		}
		secrets := b.rotates(made.ID, url, rotate(made.ID))
		signs, err := s.CreateProviderConnection(bg, b.Tenant, store.ProviderConnection{ID: "pcn_signs", Kind: "gitlab", Name: "Signs", BaseURL: "https://gitlab.com", Owner: "acme", Token: []byte("sealed"), AllRepositories: true, Repositories: "[]"})
		testkit.OK(t, err)
		if v, err := rotate(signs.ID)(); err != nil || !strings.HasPrefix(v.Secret, "whsec_") {
			t.Errorf("the secret has not the form that GitLab takes as signing token: %v", err)
		}

		for _, move := range []string{`"baseUrl":"https://git.example.com"`, `"owner":"evil"`, `"kind":"forgejo","baseUrl":"https://gitea.example.com"`} {
			_, err := b.update(made.ID, 0, `{`+move+`}`)
			testkit.Equal(t, "wrong fields of "+move+" with the stored token", featuretest.Pointers(t, err), "/token")
		}
		testkit.Require(t, "secrets after refusals", len(b.verifying(made.ID)), 2)
		moved, err := b.update(made.ID, 0, `{"baseUrl":"https://Git.example.com/","token":"`+hostToken(2)+`","enabled":true}`)
		testkit.OK(t, err)
		if moved.BaseURL != "https://git.example.com" || !moved.TokenUpdatedAt.After(*made.TokenUpdatedAt) || moved.WebhookSecretSet || moved.State != "active" {
			t.Errorf("moved %+v", moved)
		}
		testkit.Require(t, "secrets of the host before", len(b.verifying(made.ID)), 0)
		list, err := acts.Providers(bg, b.Tenant, tracking.Page{Limit: 9})
		testkit.OK(t, err)
		b.inside(append(secrets, hostToken(1), hostToken(2)), list)
		_, err = rotate(made.ID)()
		testkit.OK(t, err)
		testkit.OK(t, acts.DeleteProvider(bg, b.Tenant, made.ID))
		testkit.Require(t, "its secrets", len(b.verifying(made.ID)), 0)
		refused(t, "deleted again", acts.DeleteProvider(bg, b.Tenant, made.ID), errs.NotFound, "not_found")
		_, err = b.update(made.ID, 0, `{"name":"x"}`)
		refused(t, "changed", err, errs.NotFound, "not_found")
		_, err = rotate(made.ID)()
		refused(t, "rotated", err, errs.NotFound, "not_found")
	})
}

// inside searches for secrets in the shown value and in the audit log.
func (b *bench) inside(secrets []string, shown any) {
	b.t.Helper()
	log, err := b.Features.Audit.Entries(bg, b.Tenant, store.AuditFilter{Limit: 100})
	testkit.OK(b.t, err)
	text := store.JSON(shown) + store.JSON(log)
	for i, s := range secrets {
		if strings.Contains(text, s) {
			b.t.Errorf("secret %d is in an answer or the audit log", i)
		}
	}
}

func TestTrackerConnectionLives(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, dsn string) {
		d := newDesk(t, s)
		acts := d.Features.Tracking
		token, clientSecret, entered := "lin-"+strings.Repeat("Kk8", 9), "oauth-"+strings.Repeat("Vv2", 9), "signing-"+strings.Repeat("Mm3", 9)
		mapping := `"projects":["PAY"],"mapping":{"doneStates":["Done"],"linkBack":"comment","acceptanceCriteria":{"heading":"Acceptance criteria"}}`
		made, err := d.track(`{"kind":"linear","name":"Issues","auth":{"kind":"oauth","clientId":"client-1","clientSecret":"` + clientSecret + `"},` + mapping + `}`)
		testkit.OK(t, err)
		url := "https://assay.example.com/webhooks/tracker-b/" + made.ID
		if made.BaseURL != "https://linear.app" || made.TokenSet || !made.ClientSecretSet || made.Auth.ClientID != "client-1" || made.WebhookURL != url || made.State != "pending" {
			t.Fatalf("made %+v", made)
		}
		_, err = d.track(`{"kind":"linear","name":"Issues","auth":{"kind":"token","token":"abcd"},` + mapping + `}`)
		refused(t, "the name is taken", err, errs.Conflict, "already_exists")
		changed, err := d.change(made.ID, 1, `{"auth":{"kind":"token","token":"`+token+`"},"projects":[]}`)
		testkit.OK(t, err)
		if !changed.TokenSet || changed.ClientSecretSet || changed.Auth.ClientID != "" || len(changed.Projects) != 0 || changed.Mapping.LinkBack != "comment" {
			t.Errorf("changed %+v", changed)
		}
		_, err = d.change(made.ID, 1, `{"name":"x"}`)
		refused(t, "the version before", err, errs.Stale, "stale")
		rotate := func() (tracking.WebhookSecret, error) { return acts.RotateTrackerSecret(bg, d.Tenant, made.ID) }
		secrets := d.rotates(made.ID, url, rotate)
		changed, err = d.change(made.ID, 0, `{"webhookSecret":"`+entered+`"}`) // the tracker created it
		testkit.OK(t, err)
		if got := d.verifying(made.ID); !slices.Equal(got, []string{entered, secrets[2]}) || !changed.WebhookSecretSet {
			t.Errorf("%d secrets verify after one was entered", len(got))
		}

		move := `"kind":"jira","baseUrl":"https://acme.atlassian.net"`
		_, err = d.change(made.ID, 0, `{`+move+`}`)
		testkit.Equal(t, "wrong fields of another tracker with the stored token", featuretest.Pointers(t, err), "/auth")
		moved, err := d.change(made.ID, 0, `{`+move+`,"auth":{"kind":"token","email":"mona@example.com","token":"`+token+`"}}`)
		testkit.OK(t, err)
		if moved.Kind != "jira" || moved.WebhookSecretSet || moved.WebhookURL != "https://assay.example.com/webhooks/tracker-a/"+made.ID {
			t.Errorf("moved %+v", moved)
		}
		testkit.Require(t, "secrets of the tracker before", len(d.verifying(made.ID)), 0)
		list, err := acts.Trackers(bg, d.Tenant, tracking.Page{Limit: 9})
		testkit.OK(t, err)
		secrets = append(secrets, token, clientSecret, entered)
		d.inside(secrets, list)
		for table, rows := range storetest.Dump(t, dsn) {
			for i, v := range secrets {
				if strings.Contains(strings.Join(rows, "\n"), v) {
					t.Errorf("secret %d is in the table %s", i, table)
				}
			}
		}
		testkit.OK(t, acts.DeleteTracker(bg, d.Tenant, made.ID))
		refused(t, "deleted again", acts.DeleteTracker(bg, d.Tenant, made.ID), errs.NotFound, "not_found")
		_, err = d.change(made.ID, 0, `{"name":"x"}`)
		refused(t, "changed", err, errs.NotFound, "not_found")
		_, err = rotate()
		refused(t, "rotated", err, errs.NotFound, "not_found")
	})
}

func TestProviderConnectionRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.SQLite(t))
	const kind, gitea, all = `"kind":`, `"kind":"gitea","baseUrl":"https://gitea.example.com"`, `,"owner":"acme","repositories":"all"`
	token := `,"token":"` + hostToken(1) + `"`
	for name, tc := range map[string]struct{ body, fields string }{
		"no address":            {kind + `"gitea"` + all + token, "/baseUrl"},
		"another address":       {kind + `"bitbucket-cloud","baseUrl":"https://git.example.com"` + all + token, "/baseUrl"},
		"metadata":              {kind + `"gitea","baseUrl":"https://169.254.169.254"` + all + token, "/baseUrl"},
		"metadata in IPv6":      {kind + `"gitea","baseUrl":"https://[::ffff:169.254.169.254]"` + all + token, "/baseUrl"},
		"private":               {kind + `"forgejo","baseUrl":"https://10.0.0.7"` + all + token, "/baseUrl"},
		"http":                  {kind + `"gitea","baseUrl":"http://gitea.example.com"` + all + token, "/baseUrl"},
		"groups in a workspace": {kind + `"bitbucket-cloud","owner":"acme/payments","repositories":"all"` + token, "/owner"},
		"directory elsewhere":   {gitea + `,"entraTenant":"a.b","entraClient":"c"` + all + token, "/entraTenant"},
		"directory alone":       {kind + `"azure-devops","entraTenant":"a.b"` + all + token, "/entraClient"},
		"directory with a path": {kind + `"azure-devops","entraTenant":"a/b","entraClient":"c"` + all + token, "/entraTenant"},
		"a name beside a token": {kind + `"azure-devops","username":"ann"` + all + token, "/username"},
		"three parts":           {kind + `"azure-devops","owner":"a/b/c","repositories":"all"` + token, "/owner"},
		"way up":                {gitea + `,"owner":"acme/../evil","repositories":"all"` + token, "/owner"},
		"colon":                 {gitea + `,"username":"a:b"` + all + token, "/username"},
		"token of two words":    {gitea + all + `,"token":"glpat and more"`, "/token"},
		"repository twice":      {gitea + `,"owner":"acme","repositories":["a","a"]` + token, "/repositories/1"},
		"query in a repository": {gitea + `,"owner":"acme","repositories":["a?x=1"]` + token, "/repositories/0"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.provider(`{"name":"bad",` + tc.body + `}`)
			fields := slices.Compact(strings.Fields(featuretest.Pointers(t, err)))
			testkit.Equal(t, "wrong fields", strings.Join(fields, " "), tc.fields)
		})
	}
	for i := range tracking.MaxProviders {
		b.create(fmt.Sprint("c", i))
	}
	_, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, b.request("more"))
	refused(t, "too many", err, errs.Conflict, "limit_reached")
}

func TestTrackerConnectionRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	const none = `,"projects":[],"mapping":{"doneStates":[],"linkBack":"none"}`
	const token = `,"auth":{"kind":"token","token":"abcdefgh"}`
	for name, tc := range map[string]struct{ body, fields string }{
		"no address":              {`"kind":"jira"` + token + none, "/baseUrl"},
		"another address":         {`"kind":"linear","baseUrl":"https://linear.example.com"` + token + none, "/baseUrl"},
		"no organisation":         {`"kind":"azure-boards","baseUrl":"https://dev.azure.com"` + token + none, "/baseUrl"},
		"metadata":                {`"kind":"jira","baseUrl":"https://169.254.169.254"` + token + none, "/baseUrl"},
		"carrier's addresses":     {`"kind":"jira","baseUrl":"https://100.100.100.200"` + token + none, "/baseUrl"},
		"no email for Jira Cloud": {`"kind":"jira","baseUrl":"https://acme.atlassian.net"` + token + none, "/auth/email"},
		"email for Linear":        {`"kind":"linear","auth":{"kind":"token","token":"abcdefgh","email":"a@example.com"}` + none, "/auth/email"},
		"no token":                {`"kind":"linear","auth":{"kind":"token"}` + none, "/auth/token"},
		"no client secret":        {`"kind":"linear","auth":{"kind":"oauth","clientId":"a"}` + none, "/auth/clientSecret"},
		"both":                    {`"kind":"linear","auth":{"kind":"oauth","clientId":"a","clientSecret":"b","token":"c"}` + none, "/auth/token"},
		"field and heading":       {`"kind":"linear"` + token + `,"projects":[],"mapping":{"doneStates":[],"linkBack":"none","acceptanceCriteria":{"field":"a","heading":"b"}}`, "/mapping/acceptanceCriteria"},
		"project twice":           {`"kind":"linear"` + token + `,"projects":["A","A"],"mapping":{"doneStates":[],"linkBack":"none"}`, "/projects/1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := d.track(`{"name":"bad",` + tc.body + `}`)
			fields := slices.Compact(strings.Fields(featuretest.Pointers(t, err)))
			testkit.Equal(t, "wrong fields", strings.Join(fields, " "), tc.fields)
		})
	}
	for i := range tracking.MaxTrackers {
		d.connect(fmt.Sprint("c", i))
	}
	_, err := d.Features.Tracking.CreateTracker(bg, d.Tenant, d.request("more"))
	refused(t, "too many", err, errs.Conflict, "limit_reached")
}

// Directory and application of a service principal are kept, shown, and changed together with what the host is asked.
func TestServicePrincipalOfAConnection(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.SQLite(t))
	made, err := b.provider(`{"name":"Azure","kind":"azure-devops","owner":"acme/Pay ments","repositories":"all","entraTenant":"contoso.test","entraClient":"app-1","token":"` + hostToken(1) + `"}`)
	testkit.OK(t, err)
	if made.EntraTenant != "contoso.test" || made.EntraClient != "app-1" || made.Username != "" || made.BaseURL != "https://dev.azure.com" {
		t.Errorf("%+v", made)
	}
	change := func(body string) tracking.ProviderConnection {
		t.Helper()
		out, err := b.Features.Tracking.UpdateProvider(bg, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, body))
		testkit.OK(t, err)
		return out
	}
	if got := change(`{"entraClient":"app-2"}`); got.EntraTenant != "contoso.test" || got.EntraClient != "app-2" {
		t.Errorf("another application: %+v", got)
	}
	if got := change(`{"name":"Other"}`); got.EntraClient != "app-2" {
		t.Errorf("another name: %+v", got)
	}
	if got := change(`{"entraTenant":null,"entraClient":null,"token":"` + hostToken(2) + `"}`); got.EntraTenant != "" || got.EntraClient != "" || got.Username != "" {
		t.Errorf("a personal token: %+v", got)
	}
}
