package auth

import (
	"context"
	"net/netip"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// PeekLink returns the one-time sign-in link of a token without redeeming it. It returns [errs.NotFound] if
// no link is valid from this address.
func (s *Service) PeekLink(ctx context.Context, token string, from netip.Addr) (store.SignInLink, error) {
	link, err := s.link(ctx, token)
	if err == nil && !inNetworks(link.Networks, from) {
		err = errs.Absent()
	}
	return link, err
}

// RedeemLink redeems a one-time sign-in link and opens a session of its person, with its audit entries, in
// one transaction. A link for other networks is refused and recorded, but not used up, so that its rightful
// user still can. It returns [errs.NotFound] if no link is valid from this address.
func (s *Service) RedeemLink(ctx context.Context, token string, from netip.Addr, b Browser) (session string, err error) {
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		link, err := s.link(ctx, token)
		if err != nil {
			return err
		}
		user := link.User
		if !inNetworks(link.Networks, from) {
			s.Logger.WarnContext(ctx, "a one-time sign-in link was refused: it comes from another network than it is for", "user", user.ID,
				"address", b.Address)
			return s.Audit.Record(ctx, linkAct(link, "refuse", audit.Refused, "from another network"))
		}
		if _, err := s.Store.RedeemSignInLink(ctx, secret.Hash(token)); err != nil {
			return err
		}
		// The warning comes before the session exists.
		s.Logger.WarnContext(ctx, "a one-time sign-in link was used", "user", user.ID, "address", b.Address)
		if err := s.Audit.Record(ctx, linkAct(link, "redeem", "", "")); err != nil {
			return err
		}
		if link.Purpose == store.LinkBreakGlass {
			if err := TellOfBreakGlass(ctx, s.Store, user.ID, domain.LinkUsed); err != nil {
				return err
			}
		}
		session, err = s.Open(ctx, user, methodLink, b)
		return err
	})
	if err == nil && session == "" { // refused, and recorded as such
		err = errs.Absent()
	}
	return session, err
}

// link returns the link of a token. Text that is not a token is not looked up.
func (s *Service) link(ctx context.Context, token string) (store.SignInLink, error) {
	if !secret.CheckToken(secret.Link, token) {
		return store.SignInLink{}, errs.Absent()
	}
	return s.Store.PeekSignInLink(ctx, secret.Hash(token))
}

func linkAct(link store.SignInLink, verb, result, note string) audit.Act {
	noun := "sign-in-link"
	if link.Purpose == store.LinkBreakGlass {
		noun = "break-glass"
	}
	return audit.Act{Action: noun + "." + verb, Target: audit.Target{Kind: "user", ID: link.User.ID, Name: link.User.Name},
		Result: result, Note: note}
}

// inNetworks reports whether an address is in one of a link's networks: CIDRs, separated by commas. Every
// address is inside an empty list. An unreadable CIDR matches no address.
func inNetworks(networks string, from netip.Addr) bool {
	if networks == "" {
		return true
	}
	for text := range strings.SplitSeq(networks, ",") {
		if p, err := netip.ParsePrefix(text); err == nil && p.Contains(from) {
			return true
		}
	}
	return false
}
