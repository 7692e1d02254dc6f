package gitlab_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/gitlab/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// TestSignIn: a client library finds the provider below the path of the instance and signs a person in.
func TestSignIn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ctx := t.Context()
	const callback = "http://127.0.0.1/callback"
	app := must(w.ctl.RegisterClient(ctx, shared.ClientSpec{Name: "assay", RedirectURIs: []string{callback}}))(t)
	provider := must(oidc.NewProvider(ctx, w.base))(t)
	config := oauth2.Config{ClientID: app.ClientID, ClientSecret: app.ClientSecret, Endpoint: provider.Endpoint(), RedirectURL: callback, Scopes: []string{"openid", "profile", "email"}}
	verifier := oauth2.GenerateVerifier()
	send := func(more string) url.Values {
		address := config.AuthCodeURL("the-state", oidc.Nonce("the-nonce"), oauth2.S256ChallengeOption(verifier)) + more
		resp := must(http.DefaultTransport.RoundTrip(must(http.NewRequestWithContext(ctx, "GET", address, nil))(t)))(t)
		_ = resp.Body.Close()
		return must(url.Parse(resp.Header.Get("Location")))(t).Query()
	}
	if q := send("&deny=1"); q.Get("error") != "access_denied" || q.Get("state") != "the-state" {
		t.Errorf("denied: %v", q)
	}
	must(struct{}{}, w.ctl.Configure(ctx, simapi.Settings{SignInAs: "own"}))(t)
	q := send("")
	if _, err := config.Exchange(ctx, q.Get("code"), oauth2.VerifierOption("wrong"+verifier)); err == nil || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("a wrong verifier: %v", err)
	}
	if _, err := config.Exchange(ctx, q.Get("code"), oauth2.VerifierOption(verifier)); err == nil {
		t.Error("took a code twice")
	}
	tok := must(config.Exchange(ctx, send("").Get("code"), oauth2.VerifierOption(verifier)))(t)
	text, _ := tok.Extra("id_token").(string)
	id := must(provider.Verifier(&oidc.Config{ClientID: app.ClientID}).Verify(ctx, text))(t)
	var claims struct {
		Name   string   `json:"preferred_username"`
		Direct []string `json:"groups_direct"`
		Groups []string `json:"groups"`
	}
	must(struct{}{}, id.Claims(&claims))(t)
	info := must(provider.UserInfo(ctx, oauth2.StaticTokenSource(tok)))(t)
	must(struct{}{}, info.Claims(&claims))(t)
	if id.Nonce != "the-nonce" || claims.Name != "own" || strings.Join(claims.Direct, " ") != "octo" || strings.Join(claims.Groups, " ") != "octo octo/team" || info.Subject != id.Subject {
		t.Errorf("claims: %+v, nonce %q, subjects %q and %q", claims, id.Nonce, id.Subject, info.Subject)
	}
	w.ask(tok.AccessToken, 403, "GET", "/user", nil) // it only signs people in
	for _, r := range must(w.ctl.Requests(ctx, simclient.RequestFilter{}))(t) {
		if strings.Contains(r.Body, app.ClientSecret) {
			t.Error("the record has the secret of the application")
		}
	}
}
