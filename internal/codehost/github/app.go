package github

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// App is what the host says of the GitHub App itself.
type App struct {
	ID          domain.HostID
	Slug        string // the account's login is Slug + "[bot]"
	Name        string
	ClientID    string
	HTMLURL     string // its page on the host
	OwnerLogin  string
	OwnerID     domain.HostID
	Permissions map[string]string // e.g. "pull_requests": "write"
	Events      []string
}

// App reads the App's own description. It needs no installation.
func (h *Host) App(ctx context.Context) (App, error) {
	var a *gh.App
	err := h.run(ctx, h.appCall("read app"), func(ctx context.Context) (err error) {
		a, _, err = h.client.Apps.Get(ctx, "")
		return err
	})
	if err != nil {
		return App{}, err
	}
	return App{ID: hostID(a.GetID()), Slug: a.GetSlug(), Name: a.GetName(), ClientID: a.GetClientID(), HTMLURL: a.GetHTMLURL(), OwnerLogin: a.GetOwner().GetLogin(), OwnerID: hostID(a.GetOwner().GetID()),
		Permissions: permissionWords(a.GetPermissions()), Events: a.GetEvents()}, nil
}

// AccountID asks for the id of the account that has a login name now: of the
// App's owner and of the accounts that have installed the App with the App's key,
// of others as anybody may ask. ClassNotFound: there is no such account;
// ClassForbidden where the host tells strangers nothing.
func (h *Host) AccountID(ctx context.Context, login string) (domain.HostID, error) {
	own, err := h.App(ctx)
	if err != nil {
		return "", err
	}
	if strings.EqualFold(own.OwnerLogin, login) && own.OwnerID != "" {
		return own.OwnerID, nil
	}
	all, err := h.Installations(ctx)
	if err != nil {
		return "", err
	}
	for _, i := range all {
		if strings.EqualFold(i.AccountLogin, login) && i.AccountID != "" {
			return i.AccountID, nil
		}
	}
	const op = "read account"
	nobody := &wire.Call{Op: op, Key: h.anonymousKey(), Authorize: func(context.Context) (string, error) { return "", nil }}
	var u *gh.User
	err = h.run(ctx, nobody, func(ctx context.Context) (err error) {
		u, _, err = h.client.Users.Get(ctx, login)
		return err
	})
	if err != nil {
		return "", err
	}
	if !strings.EqualFold(u.GetLogin(), login) || u.GetID() <= 0 {
		return "", &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer is about another account"}
	}
	return hostID(u.GetID()), nil
}

// permissionWords turns the typed permissions into words; names that the
// library does not know are lost.
func permissionWords(p *gh.InstallationPermissions) map[string]string {
	out := map[string]string{}
	raw, err := json.Marshal(p)
	if err == nil {
		_ = json.Unmarshal(raw, &out) // every field is a string
	}
	return out
}

// Installations lists every installation of the App, suspended ones too.
func (h *Host) Installations(ctx context.Context) ([]codehost.Installation, error) {
	var out []codehost.Installation
	err := h.all(ctx, func() *wire.Call { return h.appCall("list installations") },
		func(ctx context.Context, opts gh.ListOptions) (*gh.Response, error) {
			list, resp, err := h.client.Apps.ListInstallations(ctx, &opts)
			for _, i := range list {
				out = append(out, installation(i))
			}
			return resp, err
		})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Installation reads one installation of the App; ClassNotFound when it is gone
// or belongs to another App.
func (h *Host) Installation(ctx context.Context, id domain.HostID) (codehost.Installation, error) {
	const op = "read installation"
	n, err := number(op, "installation", id)
	if err != nil {
		return codehost.Installation{}, err
	}
	var i *gh.Installation
	err = h.run(ctx, h.appCall(op), func(ctx context.Context) (err error) {
		i, _, err = h.client.Apps.GetInstallation(ctx, n)
		return err
	})
	if err != nil {
		return codehost.Installation{}, err
	}
	return installation(i), nil
}

// InstallationRepositories lists the repositories that an installation reaches.
func (h *Host) InstallationRepositories(ctx context.Context, id domain.HostID) ([]codehost.RepoInfo, error) {
	var out []codehost.RepoInfo
	err := h.all(ctx, func() *wire.Call { return h.installationCall("list installation repositories", id, scopeList) },
		func(ctx context.Context, opts gh.ListOptions) (*gh.Response, error) {
			list, resp, err := h.client.Apps.ListRepos(ctx, &opts)
			if err != nil {
				return resp, err
			}
			for _, r := range list.Repositories {
				out = append(out, repoInfo(r))
			}
			return resp, nil
		})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// OrganizationOwners lists the ids of the people who own an organisation,
// asked as the installation on it.
func (h *Host) OrganizationOwners(ctx context.Context, installation domain.HostID, organization string) ([]domain.HostID, error) {
	var out []domain.HostID
	err := h.all(ctx, func() *wire.Call { return h.installationCall("list organization owners", installation, scopeMembers) },
		func(ctx context.Context, opts gh.ListOptions) (*gh.Response, error) {
			list, resp, err := h.client.Organizations.ListMembers(ctx, organization, &gh.ListMembersOptions{Role: "admin", ListOptions: opts})
			for _, u := range list {
				out = append(out, hostID(u.GetID()))
			}
			return resp, err
		})
	return out, err
}

// HookDelivery is one attempt of the host to deliver a webhook of the App.
type HookDelivery struct {
	ID             int64
	GUID           string // the same for all attempts of one delivery
	DeliveredAt    time.Time
	Redelivery     bool
	StatusCode     int // what we answered; 0 where there was no answer
	Event, Action  string
	InstallationID domain.HostID
}

// OK reports whether the attempt was accepted.
func (d HookDelivery) OK() bool { return d.StatusCode >= 200 && d.StatusCode < 300 }

// HookDeliveries lists the attempts since a time, newest first. The host keeps
// them for 3 days (github.com) or 7 (Enterprise Server).
func (h *Host) HookDeliveries(ctx context.Context, since time.Time) ([]HookDelivery, error) {
	const op = "list hook deliveries"
	opts := &gh.ListCursorOptions{PerPage: perPage}
	var out []HookDelivery
	for range maxPages {
		var list []*gh.HookDelivery
		var resp *gh.Response
		err := h.run(ctx, h.appCall(op), func(ctx context.Context) (err error) {
			list, resp, err = h.client.Apps.ListHookDeliveries(ctx, opts)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			if d.GetDeliveredAt().Before(since) {
				return out, nil
			}
			out = append(out, HookDelivery{ID: d.GetID(), GUID: d.GetGUID(), DeliveredAt: d.GetDeliveredAt().Time, Redelivery: d.GetRedelivery(),
				StatusCode: d.GetStatusCode(), Event: d.GetEvent(), Action: d.GetAction(), InstallationID: hostID(d.GetInstallationID())})
		}
		if resp.Cursor == "" || resp.Cursor == opts.Cursor || len(list) == 0 {
			return out, nil
		}
		opts.Cursor = resp.Cursor
	}
	return nil, &codehost.Error{Class: codehost.ClassTooLarge, Op: op, Message: "the list does not end"}
}

// Undelivered returns, for each delivery of which no attempt was accepted, its
// newest attempt, oldest delivery first. The list is that of [Host.HookDeliveries].
func Undelivered(attempts []HookDelivery) []HookDelivery {
	accepted, seen := map[string]bool{}, map[string]bool{}
	for _, d := range attempts {
		accepted[d.GUID] = accepted[d.GUID] || d.OK()
	}
	var out []HookDelivery
	for _, d := range attempts {
		if d.GUID != "" && !accepted[d.GUID] && !seen[d.GUID] {
			seen[d.GUID] = true
			out = append(out, d)
		}
	}
	slices.Reverse(out)
	return out
}

// Redeliver asks the host to deliver an attempt again; the delivery keeps its GUID.
func (h *Host) Redeliver(ctx context.Context, id int64) error {
	c := h.appCall("redeliver")
	c.Write, c.Effect = true, true
	return h.run(ctx, c, func(ctx context.Context) error {
		_, _, err := h.client.Apps.RedeliverHookDelivery(ctx, id)
		return err
	})
}
