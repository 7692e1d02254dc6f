package tenant_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// token creates a person's token that expires after a time.
func token(t testing.TB, w *featuretest.World, person, name string, life time.Duration, scopes ...string) (tenant.McpTokenMade, error) {
	t.Helper()
	return w.Features.Tenant.CreateMCPToken(bg, w.Tenant, person, tenant.McpTokenCreate{Name: name, Scopes: scopes, ExpiresAt: time.Now().Add(life)})
}

// show enables or disables /mcp for the world's tenant.
func show(t testing.TB, w *featuretest.World, on bool) {
	t.Helper()
	_, err := w.Features.Tenant.PutMCPSettings(bg, w.Tenant, 0, tenant.McpServerSettings{Enabled: on, ExposedTools: []string{"list_rules"}})
	testkit.OK(t, err)
}

// A token acts for its owner until it expires or is revoked, while /mcp is enabled for the tenant and
// the owner is a member.
func TestTokensSpeakForTheirOwners(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := featuretest.NewWorld(t, s)
		acts := w.Features.Tenant
		mona := w.Person("mona", domain.RoleMember)
		short, err := token(t, w, mona, "Short", time.Hour, "reviews:read")
		testkit.OK(t, err)
		made, err := token(t, w, mona, "Editor", time.Hour, "reviews:read")
		testkit.OK(t, err)
		knows := func(what, secret string, want bool) {
			t.Helper()
			v, err := acts.MCPCaller(bg, secret)
			if !want {
				refused(t, what, err, errs.NotFound, "not_found")
				return
			}
			testkit.OK(t, err)
			if v.User.ID != mona || v.Tenant != w.Tenant.ID || v.Role != domain.RoleMember || !slices.Equal(tenant.Scopes(v), []string{"reviews:read"}) {
				t.Errorf("%s: %+v", what, v)
			}
		}
		knows("the tenant shows nothing", made.Secret, false)
		show(t, w, true)
		knows("the token", made.Secret, true)
		knows("a token of an hour", short.Secret, true)
		raw(`UPDATE mcp_tokens SET expires_us = 1 WHERE id = $1`, short.ID)
		knows("a token that has ended", short.Secret, false)
		testkit.OK(t, acts.DeleteMCPToken(bg, w.Tenant, mona, short.ID))
		knows("a wrong checksum", made.Secret[:len(made.Secret)-1]+"!", false)
		list, err := acts.MCPTokens(bg, w.Tenant, mona, tenant.Page{Limit: 9})
		testkit.OK(t, err)
		if len(list) != 1 || list[0].LastUsedAt == nil || list[0].Prefix == "" || !strings.HasPrefix(made.Secret, list[0].Prefix) || strings.Contains(store.JSON(list), made.Secret) {
			t.Errorf("listed %+v", list)
		}
		show(t, w, false)
		knows("the tenant shows nothing any more", made.Secret, false)
		show(t, w, true)
		testkit.OK(t, acts.DeleteMember(bg, w.Tenant, mona))
		knows("the owner is no longer a member", made.Secret, false)
		list, err = acts.MCPTokens(bg, w.Tenant, "", tenant.Page{Limit: 9})
		testkit.OK(t, err)
		testkit.Require(t, "tokens that are left", len(list), 0)
	})
}

func TestTokensAreOnesOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		acts := w.Features.Tenant
		show(t, w, true)
		mona, olga := w.Person("mona", domain.RoleMember), w.Person("olga", domain.RoleAdmin)
		hers, err := token(t, w, mona, "Editor", time.Hour, "reviews:read")
		testkit.OK(t, err)
		his, err := token(t, w, olga, "Editor", time.Hour, "reviews:read") // names are unique for each person
		testkit.OK(t, err)
		_, err = token(t, w, mona, "Editor", time.Hour, "reviews:read")
		refused(t, "the name is taken", err, errs.Conflict, "already_exists")
		for of, want := range map[string][]string{mona: {hers.ID}, "": {his.ID, hers.ID}} {
			list, err := acts.MCPTokens(bg, w.Tenant, of, tenant.Page{Limit: 9})
			testkit.OK(t, err)
			var got []string
			for _, v := range list {
				got = append(got, v.ID)
			}
			if !slices.Equal(got, want) {
				t.Errorf("tokens of %q are %v, want %v", of, got, want)
			}
		}
		refused(t, "another person's", acts.DeleteMCPToken(bg, w.Tenant, mona, his.ID), errs.NotFound, "not_found")
		testkit.OK(t, acts.DeleteMCPToken(bg, w.Tenant, "", hers.ID))
		_, err = acts.MCPCaller(bg, hers.Secret)
		refused(t, "it is revoked", err, errs.NotFound, "not_found")
		testkit.OK(t, acts.DeleteMCPToken(bg, w.Tenant, olga, his.ID))
		refused(t, "again", acts.DeleteMCPToken(bg, w.Tenant, olga, his.ID), errs.NotFound, "not_found")
	})
}

func TestTokensRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	mona, olga := w.Person("mona", domain.RoleMember), w.Person("olga", domain.RoleAdmin)
	const year = 365 * 24 * time.Hour
	for name, tc := range map[string]struct {
		life   time.Duration
		scopes []string
		fields string
	}{
		"past":          {-time.Minute, []string{"write"}, "/expiresAt"},
		"in two years":  {2 * year, []string{"write"}, "/expiresAt"},
		"after a year":  {year + 48*time.Hour, []string{"write"}, "/expiresAt"},
		"no such scope": {time.Hour, []string{"reviews:read", "reviews:write"}, "/scopes/1"},
		"scope twice":   {time.Hour, []string{"write", "write"}, "/scopes/1"},
		"a year":        {year, []string{"write"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := token(t, w, mona, "t", tc.life, tc.scopes...)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.fields)
		})
	}
	for i := 1; i < tenant.MaxMCPTokens; i++ {
		_, err := token(t, w, mona, fmt.Sprint("t", i), time.Hour, "write")
		testkit.OK(t, err)
	}
	_, err := token(t, w, mona, "more", time.Hour, "write")
	refused(t, "too many", err, errs.Conflict, "limit_reached")
	_, err = token(t, w, olga, "somebody else's", time.Hour, "write")
	testkit.OK(t, err)
}

func TestMCPSettings(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	v, err := w.Features.Tenant.MCPSettings(bg, w.Tenant)
	testkit.OK(t, err)
	if v.Enabled || v.AllowWrites || v.Version != 0 || slices.Contains(v.ExposedTools, "review_diff") {
		t.Errorf("defaults %+v", v)
	}
	put := func(version int64, tools ...string) (tenant.McpSettings, error) {
		return w.Features.Tenant.PutMCPSettings(bg, w.Tenant, version, tenant.McpServerSettings{Enabled: true, ExposedTools: tools, AllowWrites: true})
	}
	v, err = put(store.NeverStored, "review_diff")
	testkit.OK(t, err)
	if !v.Enabled || !v.AllowWrites || !slices.Equal(v.ExposedTools, []string{"review_diff"}) || v.Version != 1 {
		t.Errorf("stored %+v", v)
	}
	_, err = put(store.NeverStored)
	refused(t, "the version before", err, errs.Stale, "stale")
	for _, second := range []string{"run_shell", "list_rules"} {
		_, err = put(0, "list_rules", second)
		testkit.Equal(t, "wrong fields of "+second, featuretest.Pointers(t, err), "/exposedTools/1")
	}
}
