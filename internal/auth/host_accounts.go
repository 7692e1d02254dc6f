package auth

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/store"
)

// HostAccount is a person's account on the host of a connection. Login and Name are the host's texts.
type HostAccount struct {
	ID    string `json:"id" doc:"The host's id of the account, which does not change"`
	Login string `json:"login"`
	Name  string `json:"name"`
}

// HostAccounts are the results of a search.
type HostAccounts struct {
	Items []HostAccount `json:"items" doc:"At most 20"`
}

// HostAccountPut chooses the account of a member.
type HostAccountPut struct {
	AccountID string `json:"accountId" minLength:"1" maxLength:"200" doc:"Id of an account that the search of the connection found"`
	Login     string `json:"login,omitempty" maxLength:"255" doc:"Its login from the search, which saves requests to the host"`
}

// HostAccountAnswer is a person's answer to a proposed link.
type HostAccountAnswer struct {
	AccountID string `json:"accountId" minLength:"1" maxLength:"200" doc:"The account that the person saw"`
	Mine      bool   `json:"mine" doc:"true: this is the person's account; false: it is not"`
}

// HostAccountLink says that a member is an account on the host of a connection.
type HostAccountLink struct {
	ConnectionID   string      `json:"connectionId" audit:"track"`
	ConnectionName string      `json:"connectionName" audit:"ignore"`
	Kind           string      `json:"kind" audit:"ignore" doc:"Kind of the code host"`
	Host           string      `json:"host" audit:"track" doc:"Web address of the code host"`
	UserID         string      `json:"userId" audit:"ignore"`
	Account        HostAccount `json:"account" audit:"track" doc:"As the host named it when the link was made"`
	State          string      `json:"state" enum:"proposed,confirmed,refused" audit:"track" doc:"The person's answer; proposed: none yet"`
	Counts         bool        `json:"counts" audit:"ignore" doc:"false also where a sign-in or an identity provider proves another link"`
	ProposedBy     string      `json:"proposedBy" audit:"ignore" doc:"Id of the admin who made the link"`
	ProposedByName string      `json:"proposedByName" audit:"ignore"`
	ProposedAt     time.Time   `json:"proposedAt" audit:"ignore"`
	DecidedAt      *time.Time  `json:"decidedAt,omitempty" audit:"ignore" doc:"When the person answered"`
}

// HostAccountLinks are the links of a member, by connection.
type HostAccountLinks struct {
	Items []HostAccountLink `json:"items"`
}

func linkOf(r store.HostAccountLink) HostAccountLink {
	return HostAccountLink{ConnectionID: r.Connection, ConnectionName: r.ConnectionName, Kind: r.Kind, Host: r.Host, UserID: r.User,
		Account: HostAccount{ID: string(r.Subject), Login: r.Login, Name: r.Name}, State: r.State, Counts: r.Counts, ProposedBy: r.ProposedBy,
		ProposedByName: r.ProposedByName, ProposedAt: store.Time(r.ProposedUS), DecidedAt: store.TimeOrNil(r.DecidedUS)}
}

// accountFinder opens the host of a connection for searches of accounts. Errors: NotFound, Conflict with the code
// not_synchronised or accounts_not_searched, Forbidden with the code connection_disabled.
func (s *Service) accountFinder(ctx context.Context, t domain.Tenant, connection string) (store.Access, codehost.AccountFinder, error) {
	if _, err := s.Store.ProviderConnection(ctx, t, connection); err != nil {
		return store.Access{}, nil, err
	}
	a, err := s.Store.AccessOfConnection(ctx, t, connection)
	if errs.Is(err, errs.NotFound) {
		return a, nil, errs.New(errs.Conflict, "not_synchronised", "The connection has not read its repositories yet. Synchronise it first.")
	}
	if err == nil && s.Hosts == nil {
		err = hostDownError(nil)
	}
	if err != nil {
		return a, nil, err
	}
	host, err := s.Hosts.Connected(ctx, a)
	if errs.Is(err, errs.NotFound) {
		err = connectionDisabledError()
	}
	if err != nil {
		return a, nil, err
	}
	finder, ok := host.(codehost.AccountFinder)
	if !ok {
		return a, nil, errs.New(errs.Conflict, "accounts_not_searched", "Accounts of this kind of host are not linked by hand. The host is "+
			"an identity provider itself: an administrator of the instance sets it up with its user ids (hostUserId).")
	}
	return a, finder, nil
}

// finderError returns the error for people if the host did not show accounts.
func finderError(err error) error {
	switch class := codehost.ClassOf(err); {
	case err == nil:
		return nil
	case class == codehost.ClassForbidden:
		return errs.New(errs.Conflict, "host_does_not_say", "The code host does not show its accounts to the connection's token. The test of "+
			"the connection names missing permissions.")
	case class == codehost.ClassTooLarge:
		return errs.New(errs.Conflict, "too_many_accounts", "The code host has too many accounts to read. On Data Center, link the member "+
			"with the login from a search. A workspace of Bitbucket Cloud may have at most %d people.", codehost.MaxMembers)
	}
	return hostDownError(err)
}

// HostAccounts searches accounts of people on the host of a connection. Errors: NotFound, Conflict (not_synchronised,
// accounts_not_searched, host_does_not_say), Forbidden (connection_disabled), Unavailable.
func (s *Service) HostAccounts(ctx context.Context, t domain.Tenant, connection, text string) (HostAccounts, error) {
	out := HostAccounts{Items: []HostAccount{}}
	_, finder, err := s.accountFinder(ctx, t, connection)
	if err != nil {
		return out, err
	}
	var c field.Check
	c.Name("/q", text)
	if err := c.Err(); err != nil {
		return out, err
	}
	found, err := finder.FindAccounts(ctx, text)
	for _, a := range found {
		out.Items = append(out.Items, HostAccount{ID: string(a.ID), Login: a.Login, Name: a.Name})
	}
	return out, finderError(err)
}

// HostAccountLinks lists the links of a person in a tenant. It returns [errs.NotFound] if the person is not a member.
func (s *Service) HostAccountLinks(ctx context.Context, t domain.Tenant, user string) (HostAccountLinks, error) {
	out := HostAccountLinks{Items: []HostAccountLink{}}
	role, err := s.Store.RoleOf(ctx, t, user)
	if err == nil && role == "" {
		err = errs.Absent()
	}
	if err != nil {
		return out, err
	}
	rows, err := s.Store.HostAccountLinks(ctx, t, user)
	for _, r := range rows {
		out.Items = append(out.Items, linkOf(r))
	}
	return out, err
}

// memberTarget is the target of audit entries about a member.
func (s *Service) memberTarget(ctx context.Context, user string) (audit.Target, error) {
	u, err := s.Store.UserByID(ctx, user)
	return audit.Target{Kind: "member", ID: user, Name: u.Name}, err
}

// LinkHostAccount says that a member is an account of a connection's host, in place of an earlier link at the connection.
// by is the admin. The host is asked whether the account exists. The link counts after the person confirmed it. Errors:
// those of [Service.HostAccounts], NotFound (not a member), Invalid (the host has no such account), Conflict
// (account_taken, account_proven).
func (s *Service) LinkHostAccount(ctx context.Context, t domain.Tenant, by, user, connection string,
	in HostAccountPut) (out HostAccountLink, err error) {
	if _, err := s.HostAccountLinks(ctx, t, user); err != nil {
		return out, err
	}
	a, finder, err := s.accountFinder(ctx, t, connection)
	if err != nil {
		return out, err
	}
	account, err := finder.AccountOf(ctx, domain.HostID(in.AccountID), in.Login)
	if class := codehost.ClassOf(err); class == codehost.ClassNotFound || class == codehost.ClassInvalid {
		return out, field.Wrong("/accountId", "must be the id of a person's account on this host, as the search of the connection shows it")
	}
	if err != nil {
		return out, finderError(err)
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		act := audit.Act{Tenant: t, Action: "member.host-account-propose"}
		before, err := s.Store.HostAccountLink(ctx, t, connection, user)
		if err == nil {
			act.Before = linkOf(before)
		} else if !errs.Is(err, errs.NotFound) {
			return act, err
		}
		if act.Target, err = s.memberTarget(ctx, user); err != nil {
			return act, err
		}
		if err := s.Store.ProposeHostAccount(ctx, t, a, store.HostAccountLink{User: user, Subject: account.ID, Login: account.Login,
			Name: account.Name, ProposedBy: by}); err != nil {
			return act, err
		}
		row, err := s.Store.HostAccountLink(ctx, t, connection, user)
		if err != nil {
			return act, err
		}
		out = linkOf(row)
		act.After = out
		return act, s.applyStoredRoles(ctx, user) // those of another link, which an identity provider proves
	})
	return out, err
}

// describeLink sets target and former state of an audit entry about a member's link. It returns [errs.NotFound] without a link.
func (s *Service) describeLink(ctx context.Context, t domain.Tenant, user, connection string, act *audit.Act) error {
	before, err := s.Store.HostAccountLink(ctx, t, connection, user)
	if err != nil {
		return err
	}
	act.Before = linkOf(before)
	act.Target, err = s.memberTarget(ctx, user)
	return err
}

// UnlinkHostAccount deletes the link of a member at a connection, with the rights that came from it. It returns
// [errs.NotFound] without a link.
func (s *Service) UnlinkHostAccount(ctx context.Context, t domain.Tenant, user, connection string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		act := audit.Act{Tenant: t, Action: "member.host-account-unlink"}
		if err := s.describeLink(ctx, t, user, connection, &act); err != nil {
			return act, err
		}
		if err := s.Store.UnlinkHostAccount(ctx, t, connection, user); err != nil {
			return act, err
		}
		return act, s.applyStoredRoles(ctx, user) // those of another link, which an identity provider proves
	})
}

// AnswerHostAccount stores a person's answer to the link that an admin proposed. A confirmed link gives the stored rights
// of the account at once and requests a synchronisation. It returns [errs.NotFound] if this account is not waiting for an
// answer.
func (s *Service) AnswerHostAccount(ctx context.Context, t domain.Tenant, user, connection string,
	in HostAccountAnswer) (out HostAccountLink, err error) {
	state, action := store.LinkRefused, "member.host-account-refuse"
	if in.Mine {
		state, action = store.LinkConfirmed, "member.host-account-confirm"
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		act := audit.Act{Tenant: t, Action: action}
		if err := s.describeLink(ctx, t, user, connection, &act); err != nil {
			return act, err
		}
		if err := s.Store.AnswerHostAccount(ctx, t, connection, user, domain.HostID(in.AccountID), state); err != nil {
			return act, err
		}
		row, err := s.Store.HostAccountLink(ctx, t, connection, user)
		if err != nil {
			return act, err
		}
		out = linkOf(row)
		act.After = out
		if !out.Counts {
			return act, nil
		}
		if err := s.applyStoredRoles(ctx, user); err != nil {
			return act, err
		}
		return act, s.Store.RequestSync(ctx, t, connection)
	})
	return out, err
}
