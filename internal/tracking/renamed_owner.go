package tracking

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// maxKnown is how many repositories of a connection are named to a host that finds the owner by them.
const maxKnown = 3

// resolveOwner compares the owner in the host's answer with the account that the connection has read before, by
// its id. If the account has another name now, present asks the host again under that name, and the
// returned row has it as its owner. If another account has the name, the returned answer reports that, and
// the row stays. A connection that has read nothing yet has no account to compare.
func (s *Service) resolveOwner(ctx context.Context, row store.ProviderConnection, token secret.Secret,
	answer hostAnswer) (store.ProviderConnection, hostAnswer, error) {
	class := codehost.ClassOf(answer.failed)
	lost := class == codehost.ClassMoved || class == codehost.ClassNotFound
	if row.Owner == codehost.WholeInstance || answer.failed != nil && !lost || answer.failed == nil && answer.Owner.ID == "" {
		return row, answer, nil
	}
	t := domain.Tenant{ID: row.Tenant}
	access, err := s.Store.AccessOfConnection(ctx, t, row.ID)
	if errs.Is(err, errs.NotFound) || err == nil && access.Host != store.HostAddress(row.BaseURL) {
		return row, answer, nil
	}
	if err != nil {
		return row, answer, err
	}
	if answer.failed == nil && answer.Owner.ID == access.AccountID {
		if isAnother(answer.Owner.Login, row) { // the host answers to the former name
			row.Owner = answer.Owner.Login
		}
		return row, answer, nil
	}
	now, err := s.ownerNow(ctx, row, token, access)
	if err != nil {
		return row, answer, err
	}
	if !lost {
		answer.other = &otherAccount{answer.Owner.ID, access.AccountID}
		if isAnother(now, row) {
			answer.now = now
		}
		return row, answer, nil
	}
	if !isAnother(now, row) {
		return row, answer, nil
	}
	renamed := row
	renamed.Owner = now
	again, err := s.ask(ctx, renamed, token)
	if err != nil {
		return row, answer, err
	}
	if again.failed == nil && again.Owner.ID != "" && again.Owner.ID != access.AccountID { // renamed again at this moment
		return row, answer, nil
	}
	return renamed, again, nil
}

// isAnother reports whether a text of the host is a valid owner name that differs from the connection's.
func isAnother(name string, row store.ProviderConnection) bool {
	return name != "" && !strings.EqualFold(name, row.Owner) && path(name, providerOf(row.Kind).parts)
}

// ownerNow asks the host for the present name of an access's account; "" if the host does not return it.
func (s *Service) ownerNow(ctx context.Context, row store.ProviderConnection, token secret.Secret, access store.Access) (string, error) {
	host, err := s.Hosts.Connection(ctx, row, token)
	if err != nil {
		return "", err
	}
	finder, can := host.(codehost.OwnerFinder)
	if !can {
		return "", nil
	}
	repos, err := s.Store.AccessRepositories(ctx, domain.Tenant{ID: row.Tenant}, access.ID)
	if err != nil {
		return "", err
	}
	var known []domain.HostID
	for _, r := range repos {
		if r.State == "active" && len(known) < maxKnown {
			known = append(known, r.ExternalID)
		}
	}
	bounded, cancel := context.WithTimeout(ctx, longestAsk)
	defer cancel()
	now, err := finder.OwnerNow(bounded, access.AccountID, known)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil || now.ID != access.AccountID { // the first answer stands, and the job asks again
		return "", nil
	}
	return now.Login, nil
}

// otherAccount names the account that has the owner's name now, and the owner itself.
type otherAccount struct{ has, wants domain.HostID }

// takenOverMessage explains that the owner's name belongs to another account, with the fix.
func (a hostAnswer) takenOverMessage() string {
	called, enter := "", "Enter the present name of that account"
	if a.now != "" {
		called, enter = ", which is called "+a.now+" now", "Enter "+a.now
	}
	return fmt.Sprintf("%s is another account at the host now: it has the number %s. The connection is for number %s%s, and reads "+
		"nothing of the other account. "+
		"%s as the owner of the connection, with the token. If the other account is meant, delete the connection and make a new one.",
		a.owner, a.other.has, a.other.wants, called, enter)
}

// renamedMessage returns a note that the connection follows a renamed owner.
func renamedMessage(before, now string) string {
	return before + " is called " + now + " at the host now. The connection follows it, because its number is the same."
}

// storeOwnerName stores the present name of a connection's owner, unless the connection has changed since it was
// read.
func (s *Service) storeOwnerName(ctx context.Context, t domain.Tenant, row store.ProviderConnection) (store.ProviderConnection, error) {
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.Store.ProviderConnection(ctx, t, row.ID)
		if err != nil {
			return audit.Act{}, err
		}
		if row, err = s.Store.UpdateProviderConnection(ctx, t, row); err != nil {
			return audit.Act{}, err
		}
		after := s.providerOfRow(row)
		return audit.Act{Tenant: t, Action: "provider-connection.update", Target: after.target(), Before: s.providerOfRow(before), After: after,
			Note: "The owner was renamed at the host. Its number is the same, so the connection follows it."}, nil
	})
	return row, err
}
