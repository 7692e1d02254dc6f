package tenant_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// anySession lets every session use memberships.
func anySession(context.Context, domain.Tenant) error { return nil }

// An invitation gives its role by hand once. The log has the acts and the roles, and never the token.
func TestInvitations(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		acts := w.Features.Tenant
		ada := w.Person("Ada", domain.RoleAdmin)
		eve, err := s.CreateUser(bg, "Eve", false)
		testkit.OK(t, err)
		made, err := acts.CreateInvitation(bg, w.Tenant, ada, "https://assay.example.com", tenant.InvitationCreate{Role: "member"})
		testkit.OK(t, err)
		token, ok := strings.CutPrefix(made.Link, "https://assay.example.com/invitation#")
		if life := made.ExpiresAt.Sub(made.CreatedAt); !ok || !secret.CheckToken(secret.Invitation, token) || life.Hours() != 7*24 {
			t.Errorf("made %+v", made.Invitation)
		}
		_, err = acts.AcceptInvitation(bg, store.User{ID: ada}, token, anySession)
		refused(t, "an admin", err, errs.Conflict, "already_member")
		offer, err := acts.InvitationOffer(bg, eve.ID, token, anySession)
		testkit.OK(t, err)
		if offer.Role != "member" || offer.HasRole != "" || offer.TenantID != w.Tenant.ID || offer.TenantName == "" {
			t.Errorf("the offer is %+v", offer)
		}
		_, err = acts.AcceptInvitation(bg, eve, token, func(context.Context, domain.Tenant) error { return errs.Absent() })
		refused(t, "a session for which the tenant does not exist", err, errs.NotFound, "invitation_over")
		_, err = acts.AcceptInvitation(bg, eve, token, anySession)
		testkit.OK(t, err)
		_, err = acts.AcceptInvitation(bg, eve, token, anySession)
		refused(t, "the link again", err, errs.NotFound, "invitation_over")
		rows, err := s.Memberships(bg, w.Tenant, eve.ID)
		testkit.OK(t, err)
		if len(rows) != 1 || rows[0].Source != domain.SourceHand || rows[0].Role != domain.RoleMember {
			t.Errorf("the memberships are %+v", rows)
		}
		second, err := acts.CreateInvitation(bg, w.Tenant, ada, "", tenant.InvitationCreate{Role: "admin"})
		testkit.OK(t, err)
		testkit.OK(t, acts.RevokeInvitation(bg, w.Tenant, second.ID))
		refused(t, "revoked twice", acts.RevokeInvitation(bg, w.Tenant, second.ID), errs.NotFound, "not_found")

		entries, err := w.Features.Audit.Entries(bg, w.Tenant, store.AuditFilter{Limit: 4})
		testkit.OK(t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Action)
		}
		testkit.Equal(t, "acts", strings.Join(names, " "), "member.invite-revoke member.invite member.join member.invite")
		raw, err := json.Marshal(entries)
		testkit.OK(t, err)
		if log := string(raw); strings.Contains(log, token) || strings.Contains(log, secret.Hash(token)) || strings.Count(log, made.ID) < 2 {
			t.Errorf("the log is %s", log)
		}
	})
}

func TestInvitationsAreLimited(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	ada := w.Person("Ada", domain.RoleAdmin)
	invite := func() error {
		_, err := w.Features.Tenant.CreateInvitation(bg, w.Tenant, ada, "", tenant.InvitationCreate{Role: "member"})
		return err
	}
	for range tenant.MaxInvitations {
		testkit.OK(t, invite())
	}
	refused(t, "one more", invite(), errs.Conflict, "limit_reached")
}
