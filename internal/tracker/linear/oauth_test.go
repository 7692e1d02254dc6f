package linear

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/trackertest"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

const (
	redirect = "https://assay.example.com/oauth/trackers/callback"
	verifier = "a-verifier-of-enough-characters-for-the-standard"
)

type consent struct {
	*trackertest.World
	t   *testing.T
	app simapi.App
	cfg tracker.Config
	*OAuth
}

func newConsent(t *testing.T) *consent {
	t.Helper()
	w := trackertest.NewWorld(t, simapi.Linear)
	app := trackertest.Must(w.NewApp(t.Context(), simapi.AppSpec{Name: "Assay", Redirect: redirect}))(t)
	cfg := w.Config(t)
	o := trackertest.Must(NewOAuth(OAuthConfig{BaseURL: w.URL, Client: cfg.Client, ClientID: app.ClientID, ClientSecret: secret.New(app.ClientSecret)}))(t)
	return &consent{w, t, app, cfg, o}
}

// agree is the decision of a person in a browser.
func (c *consent) agree(decision string) url.Values {
	c.t.Helper()
	sum := sha256.Sum256([]byte(verifier))
	address := c.AuthorizeURL("state-1", base64.RawURLEncoding.EncodeToString(sum[:]), redirect)
	u := trackertest.Must(url.Parse(address))(c.t)
	form := u.Query()
	form.Set("decision", decision)
	u.RawQuery = ""
	req := trackertest.Must(http.NewRequestWithContext(c.t.Context(), http.MethodPost, u.String(), strings.NewReader(form.Encode())))(c.t)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp := trackertest.Must(client.Do(req))(c.t)
	defer func() { _ = resp.Body.Close() }() // the body is not read
	back := trackertest.Must(url.Parse(resp.Header.Get("Location")))(c.t)
	if resp.StatusCode != http.StatusFound || !strings.HasPrefix(back.String(), redirect+"?") {
		c.t.Fatalf("status %d, location %q", resp.StatusCode, back)
	}
	return back.Query()
}

// as returns a tracker with an access token.
func (c *consent) as(token secret.Secret) tracker.Tracker {
	cfg := c.cfg
	cfg.Bearer, cfg.Token = true, func(context.Context) (secret.Secret, error) { return token, nil }
	return trackertest.Must(New(cfg))(c.t)
}

func TestCodeFlow(t *testing.T) {
	c, ctx := newConsent(t), t.Context()
	if back := c.agree("deny"); back.Get("error") != "access_denied" || back.Get("code") != "" {
		t.Errorf("after no: %v", back)
	}
	back := c.agree("allow")
	if back.Get("state") != "state-1" {
		t.Errorf("state %q", back.Get("state"))
	}
	code := back.Get("code")
	_, err := c.Exchange(ctx, code, "another", redirect)
	trackertest.IsClass(t, err, tracker.ClassForbidden)
	first, err := c.Exchange(ctx, code, verifier, redirect)
	trackertest.NoError(t, err)
	if first.Expires < 23*time.Hour || first.Expires > 24*time.Hour || !slices.Equal(first.Scope, []string{"read", "write"}) || !first.Refresh.IsSet() {
		t.Errorf("tokens %+v", first)
	}
	if who := trackertest.Must(c.as(first.Access).OwnAccount(ctx))(t); who.ID != c.app.Account {
		t.Errorf("account %+v", who)
	}
	second := trackertest.Must(c.Refresh(ctx, first.Refresh))(t)
	if second.Refresh.Equal(first.Refresh) || second.Access.Equal(first.Access) {
		t.Error("the tokens did not rotate")
	}
	_, err = c.as(second.Access).OwnAccount(ctx)
	trackertest.NoError(t, err)
	// A refresh token that is used twice ends all tokens of the consent.
	_, err = c.Refresh(ctx, first.Refresh)
	if e := trackertest.IsClass(t, err, tracker.ClassForbidden); strings.Contains(e.Error(), first.Refresh.Reveal()) {
		t.Errorf("the error repeats the token: %v", e)
	}
	_, err = c.Refresh(ctx, second.Refresh)
	trackertest.IsClass(t, err, tracker.ClassForbidden)
}

func TestRevocation(t *testing.T) {
	c, ctx := newConsent(t), t.Context()
	tokens := trackertest.Must(c.Exchange(ctx, c.agree("allow").Get("code"), verifier, redirect))(t)
	for range 2 { // a worthless token is not an error
		trackertest.NoError(t, c.Revoke(ctx, tokens.Refresh))
	}
	_, err := c.as(tokens.Access).OwnAccount(ctx)
	trackertest.IsClass(t, err, tracker.ClassForbidden)
	_, err = c.Refresh(ctx, tokens.Refresh)
	trackertest.IsClass(t, err, tracker.ClassForbidden)
}

func TestTokenAnswers(t *testing.T) {
	c, ctx := newConsent(t), t.Context()
	for _, f := range []struct {
		body string
		f    shared.Fault
		want tracker.Class
	}{
		{f: shared.Fault{Action: shared.Respond, Status: 500}, want: tracker.ClassAmbiguous},
		{f: shared.Fault{Action: shared.ApplyThenReset}, want: tracker.ClassAmbiguous},
		{f: shared.Fault{Action: shared.SecondaryRetryAfter, RetrySeconds: 7}, want: tracker.ClassLimited},
		{f: shared.Fault{Action: shared.Respond, Status: 200, ReplyBody: `{"access_token":"a b","token_type":"Bearer"}`}, want: tracker.ClassAmbiguous},
		{f: shared.Fault{Action: shared.Respond, Status: 200, ReplyBody: `{"access_token":"` + strings.Repeat("a", 5000) + `","token_type":"Bearer"}`}, want: tracker.ClassAmbiguous},
		{f: shared.Fault{Action: shared.Respond, Status: 200, ReplyBody: `{"access_token":"abc","token_type":"mac"}`}, want: tracker.ClassAmbiguous},
		{f: shared.Fault{Action: shared.Respond, Status: 302, Headers: map[string]string{"Location": "https://evil.example.com"}}, want: tracker.ClassUnavailable},
	} {
		trackertest.Must(c.SetFault(ctx, f.f))(t)
		_, err := c.Refresh(ctx, secret.New("nothing"))
		trackertest.IsClass(t, err, f.want)
	}
	trackertest.Must(c.SetFault(ctx, shared.Fault{Action: shared.Respond, Status: 200, ReplyBody: `{"access_token":"abc","token_type":"bearer","expires_in":99999999999,"scope":["read","write"]}`}))(t)
	tokens := trackertest.Must(c.Refresh(ctx, secret.New("nothing")))(t)
	if tokens.Refresh.IsSet() || tokens.Expires != maxLife || len(tokens.Scope) != 2 {
		t.Errorf("tokens %+v", tokens)
	}
	for _, q := range trackertest.Must(c.Requests(ctx, trackertest.RequestsWithBodies))(t) {
		if q.Body != "" {
			t.Errorf("the record has the body of %s", q.Path)
		}
	}
}
