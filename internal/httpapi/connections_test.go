package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

// hostToken is a token that looks real; it is made at run time.
func hostToken(n int) string { return "glpat-" + strings.Repeat("Yy4", 7) + fmt.Sprint(n) }

func (w *world) provider(body string) tracking.ProviderConnection {
	w.t.Helper()
	var v tracking.ProviderConnection
	w.made(&v, admin, w.tenantPath()+"/provider-connections", body)
	return v
}

func (w *world) tracker(body string) tracking.TrackerConnection {
	w.t.Helper()
	var v tracking.TrackerConnection
	w.made(&v, admin, w.tenantPath()+"/tracker-connections", body)
	return v
}

// rotate makes a webhook secret.
func (w *world) rotate(connection string) tracking.WebhookSecret {
	w.t.Helper()
	var v tracking.WebhookSecret
	w.into(&v, w.call(admin, http.MethodPost, connection+"/webhook-secret", ""))
	return v
}

// verifying are the webhook secrets that verify deliveries now, newest first.
func (w *world) verifying(connection string) (out []string) {
	w.t.Helper()
	rows, err := w.store.WebhookSecrets(bg, w.Tenant, connection)
	must(w.t, err)
	for _, r := range rows {
		v, err := w.Features.Keyring.OpenSecret(bg, secret.Scope{Tenant: w.Tenant.ID, Table: "webhook_secrets", Row: r.ID, Column: "sealed"}, r.Sealed)
		must(w.t, err)
		out = append(out, v.Reveal())
	}
	return out
}

// rotates makes a connection's secret three times: the one before the newest
// stays in force for a day.
func rotates(t *testing.T, w *world, path, id, url string) (made []string) {
	t.Helper()
	one := path + "/" + id
	first, second, third := w.rotate(one), w.rotate(one), w.rotate(one)
	if first.WebhookURL != url || first.PreviousValidUntil != nil || second.Secret == first.Secret || second.PreviousValidUntil == nil {
		t.Fatalf("rotated to %+v and %+v", first, second)
	}
	if left := time.Until(*second.PreviousValidUntil); left > tracking.SecretOverlap || left < tracking.SecretOverlap-time.Minute {
		t.Errorf("the secret before stays for %v", left)
	}
	if got := w.verifying(id); !slices.Equal(got, []string{third.Secret, second.Secret}) {
		t.Errorf("%d secrets verify after three, want the last two", len(got))
	}
	return []string{first.Secret, second.Secret, third.Secret}
}

// inside looks for secrets where they must not be.
func (w *world) inside(secrets []string, answers ...reply) {
	w.t.Helper()
	text := w.logs.String() + w.call(admin, http.MethodGet, w.tenantPath()+"/audit", "").body
	for _, a := range answers {
		text += a.body
	}
	for i, s := range secrets {
		if strings.Contains(text, s) {
			w.t.Errorf("secret %d is in an answer, the audit log or the log", i)
		}
	}
}

func TestProviderConnectionLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.tenantPath() + "/provider-connections"
		made := w.provider(`{"kind":"gitea","baseUrl":"https://gitea.example.com","name":"Payments","owner":"payments","token":"` + hostToken(1) + `","repositories":["api","shop"]}`)
		url := "https://assay.example.com/webhooks/host-e/" + made.ID
		if made.BaseURL != "https://gitea.example.com" || !made.TokenSet || !made.Enabled || made.State != "active" || made.WebhookURL != url || made.WebhookSecretSet || made.Repositories.All || made.Version != 1 {
			t.Fatalf("made %+v", made)
		}
		again := w.call(admin, http.MethodPost, path, `{"kind":"gitea","name":"Payments","baseUrl":"https://git.example.com","owner":"acme","token":"`+hostToken(1)+`","repositories":"all"}`)
		testkit.Equal(t, "the name is taken", problemOf(t, again), "already_exists")
		one := path + "/" + made.ID
		var changed, moved tracking.ProviderConnection
		w.into(&changed, w.call(admin, http.MethodPatch, one, `{"repositories":"all","enabled":false,"username":null}`, header("If-Match", `"v1"`)))
		if !changed.Repositories.All || changed.State != "disabled" || !changed.TokenUpdatedAt.Equal(*made.TokenUpdatedAt) || changed.Version != 2 {
			t.Errorf("changed %+v", changed)
		}
		testkit.Equal(t, "stale", w.call(admin, http.MethodPatch, one, `{"name":"x"}`, header("If-Match", `"v1"`)).status, http.StatusPreconditionFailed)
		secrets := rotates(t, w, path, made.ID, url)
		signs, err := s.CreateProviderConnection(bg, w.Tenant, store.ProviderConnection{ID: "pcn_signs", Kind: "gitlab", Name: "Signs", BaseURL: "https://gitlab.com", Owner: "acme", Token: []byte("sealed"), AllRepositories: true, Repositories: "[]"})
		must(t, err)
		kept, err := s.CreateProviderConnection(bg, w.Tenant, store.ProviderConnection{ID: "pcn_kept", Kind: "bitbucket-cloud", Name: "Kept", BaseURL: "https://bitbucket.org", Owner: "acme", Token: []byte("sealed"), Repositories: "[]"})
		must(t, err)
		if made := w.rotate(path + "/" + signs.ID); !strings.HasPrefix(made.Secret, "whsec_") {
			t.Error("the secret has not the form that GitLab takes as signing token")
		}
		var renamed tracking.ProviderConnection // there from before, of a kind that cannot be made now
		w.into(&renamed, w.call(admin, http.MethodPatch, path+"/"+kept.ID, `{"name":"Renamed","repositories":"all"}`))
		testkit.Equal(t, "state of a kind that is not built", renamed.State, "disabled")
		testkit.Equal(t, "its test", problemOf(t, w.call(admin, http.MethodPost, path+"/"+kept.ID+"/test", "")), "kind_not_built")

		for _, move := range []string{`"baseUrl":"https://git.example.com"`, `"owner":"evil"`, `"kind":"forgejo","baseUrl":"https://gitea.example.com"`} {
			if got := wrongFields(t, w.call(admin, http.MethodPatch, one, `{`+move+`}`)); !slices.Equal(got, []string{"/token"}) {
				t.Errorf("%s with the stored token: %v", move, got)
			}
		}
		testkit.Require(t, "secrets after refusals", len(w.verifying(made.ID)), 2)
		w.into(&moved, w.call(admin, http.MethodPatch, one, `{"baseUrl":"https://Git.example.com/","token":"`+hostToken(2)+`","enabled":true}`))
		if moved.BaseURL != "https://git.example.com" || !moved.TokenUpdatedAt.After(*made.TokenUpdatedAt) || moved.WebhookSecretSet || moved.State != "active" {
			t.Errorf("moved %+v", moved)
		}
		testkit.Require(t, "secrets of the host before", len(w.verifying(made.ID)), 0)
		list := w.call(admin, http.MethodGet, path, "")
		w.inside(append(secrets, hostToken(1), hostToken(2)), list, again)
		testkit.Equal(t, "for a member", w.call(member, http.MethodGet, path, "").status, http.StatusForbidden)
		w.rotate(one)
		testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, one, "").status, http.StatusNoContent)
		testkit.Require(t, "its secrets", len(w.verifying(made.ID)), 0)
		for _, gone := range []reply{w.call(admin, http.MethodDelete, one, ""), w.call(admin, http.MethodPatch, one, `{"name":"x"}`), w.call(admin, http.MethodPost, one+"/webhook-secret", "")} {
			testkit.Equal(t, "gone", gone.status, http.StatusNotFound)
		}
	})
}

func TestTrackerConnectionLives(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, dsn string) {
		w := newWorld(t, s)
		path := w.tenantPath() + "/tracker-connections"
		token, clientSecret, entered := "lin-"+strings.Repeat("Kk8", 9), "oauth-"+strings.Repeat("Vv2", 9), "signing-"+strings.Repeat("Mm3", 9)
		mapping := `"projects":["PAY"],"mapping":{"doneStates":["Done"],"linkBack":"comment","acceptanceCriteria":{"heading":"Acceptance criteria"}}`
		made := w.tracker(`{"kind":"linear","name":"Issues","auth":{"kind":"oauth","clientId":"client-1","clientSecret":"` + clientSecret + `"},` + mapping + `}`)
		url := "https://assay.example.com/webhooks/tracker-b/" + made.ID
		if made.BaseURL != "https://linear.app" || made.TokenSet || !made.ClientSecretSet || made.Auth.ClientID != "client-1" || made.WebhookURL != url || made.State != "pending" {
			t.Fatalf("made %+v", made)
		}
		testkit.Equal(t, "the name is taken", problemOf(t, w.call(admin, http.MethodPost, path, `{"kind":"linear","name":"Issues","auth":{"kind":"token","token":"abcd"},`+mapping+`}`)), "already_exists")
		one := path + "/" + made.ID
		var changed, moved tracking.TrackerConnection
		w.into(&changed, w.call(admin, http.MethodPatch, one, `{"auth":{"kind":"token","token":"`+token+`"},"projects":[]}`, header("If-Match", `"v1"`)))
		if !changed.TokenSet || changed.ClientSecretSet || changed.Auth.ClientID != "" || len(changed.Projects) != 0 || changed.Mapping.LinkBack != "comment" {
			t.Errorf("changed %+v", changed)
		}
		testkit.Equal(t, "stale", w.call(admin, http.MethodPatch, one, `{"name":"x"}`, header("If-Match", `"v1"`)).status, http.StatusPreconditionFailed)
		secrets := rotates(t, w, path, made.ID, url)
		w.into(&changed, w.call(admin, http.MethodPatch, one, `{"webhookSecret":"`+entered+`"}`)) // the tracker made it
		if got := w.verifying(made.ID); !slices.Equal(got, []string{entered, secrets[2]}) || !changed.WebhookSecretSet {
			t.Errorf("%d secrets verify after one was entered", len(got))
		}

		move := `"kind":"jira","baseUrl":"https://acme.atlassian.net"`
		if got := wrongFields(t, w.call(admin, http.MethodPatch, one, `{`+move+`}`)); !slices.Equal(got, []string{"/auth"}) {
			t.Errorf("another tracker with the stored token: %v", got)
		}
		w.into(&moved, w.call(admin, http.MethodPatch, one, `{`+move+`,"auth":{"kind":"token","email":"mona@example.com","token":"`+token+`"}}`))
		if moved.Kind != "jira" || moved.WebhookSecretSet || moved.WebhookURL != "https://assay.example.com/webhooks/tracker-a/"+made.ID {
			t.Errorf("moved %+v", moved)
		}
		testkit.Require(t, "secrets of the tracker before", len(w.verifying(made.ID)), 0)
		w.inside(append(secrets, token, clientSecret, entered), w.call(admin, http.MethodGet, path, ""))
		for table, rows := range storetest.Dump(t, dsn) {
			for i, v := range append(secrets, token, clientSecret, entered) {
				if strings.Contains(strings.Join(rows, "\n"), v) {
					t.Errorf("secret %d is in the table %s", i, table)
				}
			}
		}
		testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, one, "").status, http.StatusNoContent)
		for _, gone := range []reply{w.call(admin, http.MethodDelete, one, ""), w.call(admin, http.MethodPatch, one, `{"name":"x"}`), w.call(admin, http.MethodPost, one+"/webhook-secret", "")} {
			testkit.Equal(t, "gone", gone.status, http.StatusNotFound)
		}
	})
}

func TestProviderConnectionRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path := w.tenantPath() + "/provider-connections"
	token := `"token":"` + hostToken(1) + `"`
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"kind without adapter":  {`"kind":"bitbucket-cloud","owner":"acme","repositories":"all",` + token, []string{"/kind"}},
		"no address":            {`"kind":"gitea","owner":"acme","repositories":"all",` + token, []string{"/baseUrl"}},
		"another address":       {`"kind":"bitbucket-cloud","baseUrl":"https://git.example.com","owner":"acme","repositories":"all",` + token, []string{"/baseUrl", "/kind"}},
		"metadata":              {`"kind":"gitea","baseUrl":"https://169.254.169.254","owner":"acme","repositories":"all",` + token, []string{"/baseUrl"}},
		"metadata in IPv6":      {`"kind":"gitea","baseUrl":"https://[::ffff:169.254.169.254]","owner":"acme","repositories":"all",` + token, []string{"/baseUrl"}},
		"private":               {`"kind":"forgejo","baseUrl":"https://10.0.0.7","owner":"acme","repositories":"all",` + token, []string{"/baseUrl"}},
		"http":                  {`"kind":"gitea","baseUrl":"http://gitea.example.com","owner":"acme","repositories":"all",` + token, []string{"/baseUrl"}},
		"groups in a workspace": {`"kind":"bitbucket-cloud","owner":"acme/payments","repositories":"all",` + token, []string{"/owner", "/kind"}},
		"way up":                {`"kind":"gitea","baseUrl":"https://gitea.example.com","owner":"acme/../evil","repositories":"all",` + token, []string{"/owner"}},
		"colon":                 {`"kind":"gitea","baseUrl":"https://gitea.example.com","owner":"acme","username":"a:b","repositories":"all",` + token, []string{"/username"}},
		"token of two words":    {`"kind":"gitea","baseUrl":"https://gitea.example.com","owner":"acme","repositories":"all","token":"glpat and more"`, []string{"/token"}},
		"no repository":         {`"kind":"gitea","baseUrl":"https://gitea.example.com","owner":"acme","repositories":[],` + token, []string{"/repositories"}},
		"repository twice":      {`"kind":"gitea","baseUrl":"https://gitea.example.com","owner":"acme","repositories":["a","a"],` + token, []string{"/repositories/1"}},
		"query in a repository": {`"kind":"gitea","baseUrl":"https://gitea.example.com","owner":"acme","repositories":["a?x=1"],` + token, []string{"/repositories/0"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := slices.Compact(wrongFields(t, w.call(admin, http.MethodPost, path, `{"name":"bad",`+tc.body+`}`))); !slices.Equal(got, tc.fields) {
				t.Errorf("%v, want %v", got, tc.fields)
			}
		})
	}
	body := func(name string) string {
		return `{"kind":"gitea","baseUrl":"https://gitea.example.com","name":"` + name + `","owner":"acme","repositories":"all",` + token + `}`
	}
	for i := range tracking.MaxProviders {
		w.provider(body(fmt.Sprint("c", i)))
	}
	testkit.Equal(t, "too many", problemOf(t, w.call(admin, http.MethodPost, path, body("more"))), "limit_reached")
}

func TestTrackerConnectionRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path := w.tenantPath() + "/tracker-connections"
	rest := `"projects":[],"mapping":{"doneStates":[],"linkBack":"none"}`
	auth := `"auth":{"kind":"token","token":"abcdefgh"},` + rest
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"no address":              {`"kind":"jira",` + auth, []string{"/baseUrl"}},
		"another address":         {`"kind":"linear","baseUrl":"https://linear.example.com",` + auth, []string{"/baseUrl"}},
		"no organisation":         {`"kind":"azure-boards","baseUrl":"https://dev.azure.com",` + auth, []string{"/baseUrl"}},
		"metadata":                {`"kind":"jira","baseUrl":"https://169.254.169.254",` + auth, []string{"/baseUrl"}},
		"carrier's addresses":     {`"kind":"jira","baseUrl":"https://100.100.100.200",` + auth, []string{"/baseUrl"}},
		"no email for Jira Cloud": {`"kind":"jira","baseUrl":"https://acme.atlassian.net",` + auth, []string{"/auth/email"}},
		"email for Linear":        {`"kind":"linear","auth":{"kind":"token","token":"abcdefgh","email":"a@example.com"},` + rest, []string{"/auth/email"}},
		"no token":                {`"kind":"linear","auth":{"kind":"token"},` + rest, []string{"/auth/token"}},
		"no client secret":        {`"kind":"linear","auth":{"kind":"oauth","clientId":"a"},` + rest, []string{"/auth/clientSecret"}},
		"both":                    {`"kind":"linear","auth":{"kind":"oauth","clientId":"a","clientSecret":"b","token":"c"},` + rest, []string{"/auth/token"}},
		"field and heading":       {`"kind":"linear","auth":{"kind":"token","token":"abcdefgh"},"projects":[],"mapping":{"doneStates":[],"linkBack":"none","acceptanceCriteria":{"field":"a","heading":"b"}}`, []string{"/mapping/acceptanceCriteria"}},
		"project twice":           {`"kind":"linear","auth":{"kind":"token","token":"abcdefgh"},"projects":["A","A"],"mapping":{"doneStates":[],"linkBack":"none"}`, []string{"/projects/1"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := slices.Compact(wrongFields(t, w.call(admin, http.MethodPost, path, `{"name":"bad",`+tc.body+`}`))); !slices.Equal(got, tc.fields) {
				t.Errorf("%v, want %v", got, tc.fields)
			}
		})
	}
	body := func(name string) string { return `{"kind":"linear","name":"` + name + `",` + auth + `}` }
	for i := range tracking.MaxTrackers {
		w.tracker(body(fmt.Sprint("c", i)))
	}
	testkit.Equal(t, "too many", problemOf(t, w.call(admin, http.MethodPost, path, body("more"))), "limit_reached")
}
