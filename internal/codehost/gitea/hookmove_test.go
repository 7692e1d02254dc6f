package gitea

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// A webhook of ours or one made by hand, with the address of its connection, is replaced by one with the
// address and the secret of its repository. A webhook of another connection stays.
func TestAWebhookMovesToItsRepository(t *testing.T) {
	t.Parallel()
	const address, other = "https://assay.example/webhooks/host-e/c1", "https://assay.example/webhooks/host-e/c2"
	for name, mark := range map[string]string{"ours": "", "by hand": "by hand"} {
		t.Run(name, func(t *testing.T) {
			f, s := newFake(t), &hookServer{next: 30}
			s.serve(f)
			h, ctx, key := f.host(domain.Gitea), t.Context(), secret.New("hook"+"-key")
			must(h.EnsureHook(ctx, testRepo, other, key))(t)
			must(h.EnsureHook(ctx, testRepo, address, key))(t)
			if mark != "" {
				s.list[1].AuthorizationHeader = ""
			}
			of, derived := codehost.RepositoryHook(address, testRepo.ExternalID), codehost.HookSecret(key, testRepo.ExternalID)
			if got := must(h.Hook(ctx, testRepo, of))(t); got.ID != "32" || !got.Active {
				t.Errorf("before it moves: %+v", got)
			}
			for range 2 {
				got := must(h.EnsureHook(ctx, testRepo, of, derived))(t)
				if got.ID != "33" || !got.Active || got.Restored || s.secrets[33] != derived.Reveal() || len(s.list) != 2 || s.list[1].Config["url"] != of || s.list[0].Config["url"] != other {
					t.Fatalf("%+v, of %d webhooks", got, len(s.list))
				}
			}
			must(h.EnsureHook(ctx, testRepo, address, key))(t) // as an earlier version did
			f.json("GET /repositories/5", `{"id":5,"name":"demo","owner":{"id":1,"login":"octo"}}`)
			if err := h.RemoveHook(ctx, testRepo, of); err != nil || len(s.list) != 1 || s.list[0].Config["url"] != other {
				t.Errorf("removed: %v, %d left", err, len(s.list))
			}
		})
	}
}
