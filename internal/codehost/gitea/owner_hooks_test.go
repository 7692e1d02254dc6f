package gitea

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	hostclient "github.com/assay-dev/assay/sim/host/simclient"
)

const ownerHookAddress = "https://assay.example/webhooks/host-e/c1"

// hooksOf returns the organisations and repositories with a webhook in the simulation.
func (s *simulated) hooksOf() string {
	var out []string
	for _, h := range must(s.ctl.Hooks(s.t.Context()))(s.t) {
		out = append(out, h.Organization+h.Repository)
	}
	return strings.Join(out, " ")
}

// post sends a body as the service's account, with a token that has the scopes.
func (s *simulated) post(path string, body any, scopes []string) {
	s.t.Helper()
	token := must(s.ctl.NewToken(s.t.Context(), "bot", simapi.TokenSpec{Scopes: scopes}))(s.t)
	raw := must(json.Marshal(body))(s.t)
	req := must(http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, bytes.NewReader(raw)))(s.t)
	req.Header.Set("Authorization", "token "+token.Text)
	req.Header.Set("Content-Type", "application/json")
	resp := must(http.DefaultClient.Do(req))(s.t)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		s.t.Fatalf("POST %s: %d", path, resp.StatusCode)
	}
}

// TestWebhookOfAnOrganisation: owners whose token may write organisations can have this webhook. It is made
// like those of repositories and replaces them. Webhooks made by people stay.
func TestWebhookOfAnOrganisation(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		s, ctx := newSim(t, kind), t.Context()
		write := []string{"write:repository", "write:organization", "read:user"}
		one, two := secret.New("hook"+"-one"), secret.New("hook"+"-two")
		member := s.host(&codehosttest.Gate{}, write...)
		if _, err := member.EnsureOwnerHook(ctx, ownerHookAddress, one); !codehost.IsAccessLost(err) {
			t.Errorf("%s: a member: %v", kind, err)
		}
		if err := s.ctl.UpdateUser(ctx, "octo", shared.UserUpdate{Members: map[string]string{"bot": "admin"}}); err != nil {
			t.Fatal(err)
		}
		reads := s.host(&codehosttest.Gate{}, "write:repository", "read:organization", "read:user")
		if got, err := reads.OwnerHook(ctx, ownerHookAddress); err != nil || got.ID != "" {
			t.Errorf("%s: before: %+v, %v", kind, got, err)
		}
		if _, err := reads.EnsureOwnerHook(ctx, ownerHookAddress, one); !codehost.IsAccessLost(err) {
			t.Errorf("%s: a token that may only read: %v", kind, err)
		}
		h, repo := s.host(&codehosttest.Gate{}, write...), codehost.Repo{Owner: "octo", Name: "demo", ExternalID: wire.HostID(s.repo.ID)}
		must(h.EnsureHook(ctx, repo, ownerHookAddress, one))(t)
		made := must(h.EnsureOwnerHook(ctx, ownerHookAddress, one))(t)
		again := must(h.EnsureOwnerHook(ctx, ownerHookAddress+"/", one))(t)
		if made.ID == "" || !made.Active || len(made.Missing) > 0 || again.ID != made.ID || s.hooksOf() != "octo/demo octo" {
			t.Errorf("%s: made %+v, again %+v: %s", kind, made, again, s.hooksOf())
		}
		rotated := must(h.EnsureOwnerHook(ctx, ownerHookAddress, two))(t)
		if rotated.ID == made.ID || s.hooksOf() != "octo/demo octo" {
			t.Errorf("%s: rotated %+v: %s", kind, rotated, s.hooksOf())
		}
		for range 2 {
			if err := h.RemoveRepeated(ctx, repo, ownerHookAddress); err != nil || s.hooksOf() != "octo" {
				t.Errorf("%s: %v: %s", kind, err, s.hooksOf())
			}
		}
		s.post("/api/v1/orgs/octo/hooks", map[string]any{"type": "gitea", "active": true, "events": []string{"push"}, "config": map[string]string{"url": ownerHookAddress, "content_type": "json"}}, write)
		if err := h.RemoveOwnerHook(ctx, ownerHookAddress, true); err != nil || s.hooksOf() != "octo" {
			t.Errorf("%s: our webhooks: %v: %s", kind, err, s.hooksOf())
		}
		if got := must(h.EnsureOwnerHook(ctx, ownerHookAddress, one))(t); !got.Active || len(got.Missing) > 0 || s.hooksOf() != "octo" {
			t.Errorf("%s: by hand %+v: %s", kind, got, s.hooksOf())
		}
		for range 2 {
			if err := h.RemoveOwnerHook(ctx, ownerHookAddress, false); err != nil || s.hooksOf() != "" {
				t.Errorf("%s: all: %v: %s", kind, err, s.hooksOf())
			}
		}
	}
}

// TestNewestRepositories: one request returns the owner's repositories, newest first, and no others.
func TestNewestRepositories(t *testing.T) {
	t.Parallel()
	s, ctx := newSim(t, domain.Gitea), t.Context()
	for i := range codehost.MaxNewest + 1 {
		must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "octo", Name: fmt.Sprintf("r%d", i), Collaborators: map[string]string{"bot": "read"}}))(t)
	}
	must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "ann", Name: "own", Public: true}))(t)
	gate := &codehosttest.Gate{}
	h := s.host(gate, "read:repository", "read:organization", "read:user")
	owner := must(h.readOwner(ctx, "test", nil))(t)
	before := len(must(s.ctl.Requests(ctx, hostclient.RequestFilter{}))(t))
	got := must(h.Newest(ctx, owner.ID))(t)
	names := slices.Collect(func(yield func(string) bool) {
		for _, r := range got.Repositories {
			if r.CreatedAt.IsZero() || r.Owner != "octo" || !yield(r.Name) {
				return
			}
		}
	})
	if len(names) != codehost.MaxNewest || names[0] != fmt.Sprintf("r%d", codehost.MaxNewest) || got.Total != codehost.MaxNewest+2 {
		t.Errorf("newest %v of %d", names, got.Total)
	}
	if n := len(must(s.ctl.Requests(ctx, hostclient.RequestFilter{}))(t)) - before; n != 1 {
		t.Errorf("%d requests", n)
	}
	if none := must(h.Newest(ctx, "99999"))(t); len(none.Repositories) != 0 {
		t.Errorf("repositories of an unknown owner: %+v", none)
	}
	if _, err := h.Newest(ctx, "*"); err == nil {
		t.Error("an owner without a number")
	}
}
