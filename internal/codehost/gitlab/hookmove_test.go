package gitlab

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
)

// A webhook with the address of its connection is changed to the address and the secret of its project.
func TestAWebhookMovesToItsProject(t *testing.T) {
	t.Parallel()
	s := newSim(t, simapi.SigningTokens)
	h, ctx, key := s.host(&codehosttest.Gate{}), t.Context(), secret.New("hook"+"-key")
	const address = "https://assay.example/webhooks/host-b/c1"
	repo := codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo/team", Name: "demo"}
	first := must(h.EnsureHook(ctx, repo, address, key))(t)
	of, derived := codehost.RepositoryHook(address, repo.ExternalID), codehost.HookSecret(key, repo.ExternalID)
	if got := must(h.Hook(ctx, repo, of))(t); got.ID != first.ID {
		t.Errorf("before it moves: %+v", got)
	}
	for range 2 {
		got := must(h.EnsureHook(ctx, repo, of, derived))(t)
		list := must(h.hooks(ctx, "list", repo, of))(t)
		if got.ID != first.ID || !got.Active || got.Restored || len(list) != 1 || list[0].URL != of || list[0].Description != hookMark(derived) {
			t.Fatalf("%+v, of %+v", got, list)
		}
	}
	must(h.EnsureHook(ctx, repo, address, key))(t) // as an earlier version did
	if err := h.RemoveHook(ctx, repo, of); err != nil || len(must(s.ctl.Hooks(ctx))(t)) != 0 {
		t.Errorf("removed: %v, left %+v", err, must(s.ctl.Hooks(ctx))(t))
	}
}

// The secret that each delivery sends in clear text is not the signing key.
func TestTheTokenDoesNotSign(t *testing.T) {
	t.Parallel()
	const body = `{"object_kind":"push"}`
	key := codehost.HookSecret(secret.New("hook"+"-key"), "5")
	token := secret.New(headerSecret(key))
	if token.Reveal() == key.Reveal() || len(token.Reveal()) < 40 {
		t.Errorf("the token is %d characters", len(token.Reveal()))
	}
	for name, header := range map[string]http.Header{
		"as the secret": signedHeader(signature(signingKey(token), "msg_1", "1795000000", body)),
		"as the key":    signedHeader(signature([]byte(token.Reveal()), "msg_1", "1795000000", body)),
	} {
		if Verify(header, []byte(body), []secret.Secret{key}) == nil {
			t.Errorf("signed with the token %s", name)
		}
	}
	if err := Verify(plainHeader("Push Hook", token.Reveal()), []byte(body), []secret.Secret{key}); err != nil {
		t.Errorf("the token: %v", err)
	}
	for body, want := range map[string]string{`{"project":{"id":7}}`: "7", `{"project_id":8,"event_name":"project_create"}`: "8", `{"project":7}`: "", `{}`: "", `[`: ""} {
		if got := ProjectOf([]byte(body)); string(got) != want {
			t.Errorf("the project of %s is %q", body, got)
		}
	}
}
