package github

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// App is GitHub's description of the App itself.
type App struct {
	ID          domain.HostID
	Slug        string // login of the account is Slug + "[bot]"
	Name        string
	ClientID    string
	HTMLURL     string // the App's page on GitHub
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
	return App{ID: hostID(a.GetID()), Slug: a.GetSlug(), Name: a.GetName(), ClientID: a.GetClientID(), HTMLURL: a.GetHTMLURL(),
		OwnerLogin: a.GetOwner().GetLogin(), OwnerID: hostID(a.GetOwner().GetID()),
		Permissions: permissionWords(a.GetPermissions()), Events: a.GetEvents()}, nil
}

// AccountID returns the id of the account that has a login now. It uses the App's key to look among the
// App's owner and the accounts that installed the App, and asks anonymously for other accounts. It fails
// with ClassNotFound if the account does not exist, and with ClassForbidden if GitHub refuses anonymous
// requests.
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

// permissionWords converts typed permissions to words. Names that the library lacks are lost.
func permissionWords(p *gh.InstallationPermissions) map[string]string {
	out := map[string]string{}
	raw, err := json.Marshal(p)
	if err == nil {
		_ = json.Unmarshal(raw, &out) // every field is a string
	}
	return out
}

// maxInstallations is the most installations of an App, or of a person, that are listed.
const maxInstallations = 10_000

// Installations lists every installation of the App, including suspended ones.
func (h *Host) Installations(ctx context.Context) ([]codehost.Installation, error) {
	return listComplete(ctx, h, h.appCall("list installations"), maxInstallations, "installations",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.Installation, *gh.Response, error) {
			return h.client.Apps.ListInstallations(ctx, &opts)
		}, func(i *gh.Installation) (codehost.Installation, bool) { return installation(i), true })
}

// Installation reads one installation of the App. It fails with ClassNotFound if the installation is gone
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

// InstallationRepositories lists the repositories of an installation.
func (h *Host) InstallationRepositories(ctx context.Context, id domain.HostID) ([]codehost.RepoInfo, error) {
	return listComplete(ctx, h, h.installationCall("list installation repositories", id, scopeList),
		codehost.MaxConnectionRepositories, "repositories",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.Repository, *gh.Response, error) {
			list, resp, err := h.client.Apps.ListRepos(ctx, &opts)
			if err != nil {
				return nil, resp, err
			}
			return list.Repositories, resp, nil
		}, func(r *gh.Repository) (codehost.RepoInfo, bool) { return repoInfo(r), true })
}

// OrganizationOwners lists the ids of an organisation's owners, with the token of its installation.
func (h *Host) OrganizationOwners(ctx context.Context, installation domain.HostID, organization string) ([]domain.HostID, error) {
	return listComplete(ctx, h, h.installationCall("list organization owners", installation, scopeMembers), codehost.MaxMembers,
		"owners of the organization",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.User, *gh.Response, error) {
			return h.client.Organizations.ListMembers(ctx, organization, &gh.ListMembersOptions{Role: "admin", ListOptions: opts})
		}, func(u *gh.User) (domain.HostID, bool) { return hostID(u.GetID()), true })
}

// HookDelivery is one attempt of GitHub to deliver a webhook of the App.
type HookDelivery struct {
	ID             int64
	GUID           string // equal for all attempts of one delivery
	DeliveredAt    time.Time
	Redelivery     bool
	StatusCode     int // our answer; 0 without an answer
	Event, Action  string
	InstallationID domain.HostID
	RepositoryID   domain.HostID // "" if the event is not about a repository
}

// OK reports whether the attempt was accepted.
func (d HookDelivery) OK() bool { return d.StatusCode >= 200 && d.StatusCode < 300 }

const (
	maxDeliveries = 50_000 // attempts that are listed at once
	maxWord       = 100    // bytes of a word of an attempt
)

// HookDeliveries lists the attempts since a time, newest first. GitHub keeps them for 3 days (github.com)
// or 7 (Enterprise Server).
func (h *Host) HookDeliveries(ctx context.Context, since time.Time) ([]HookDelivery, error) {
	const op = "list hook deliveries"
	opts := &gh.ListCursorOptions{PerPage: perPage}
	list, whole, err := wire.List(ctx, op, maxDeliveries, func(ctx context.Context, _ int) (part []*gh.HookDelivery, more bool, err error) {
		c := h.appCall(op)
		c.Entries = perPage
		err = h.run(ctx, c, func(ctx context.Context) error {
			list, resp, err := h.client.Apps.ListHookDeliveries(ctx, opts)
			if part = list; err == nil {
				more = resp.Cursor != "" && resp.Cursor != opts.Cursor && len(list) > 0 && !list[len(list)-1].GetDeliveredAt().Before(since)
				opts.Cursor = resp.Cursor
			}
			return err
		})
		return part, more, err
	}, func(d *gh.HookDelivery) (HookDelivery, bool) {
		return HookDelivery{ID: d.GetID(), GUID: clip.Bytes(d.GetGUID(), maxWord), DeliveredAt: d.GetDeliveredAt().Time,
			Redelivery: d.GetRedelivery(), StatusCode: d.GetStatusCode(),
			Event: clip.Bytes(d.GetEvent(), maxWord), Action: clip.Bytes(d.GetAction(), maxWord),
			InstallationID: hostID(d.GetInstallationID()), RepositoryID: hostID(d.GetRepositoryID())}, !d.GetDeliveredAt().Before(since)
	})
	if err == nil && !whole {
		err = wire.TooMany(op, maxDeliveries, "deliveries")
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Undelivered returns the newest attempt of each delivery without an accepted attempt, oldest delivery
// first. attempts is the list of [Host.HookDeliveries].
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

// Redeliver asks GitHub to deliver an attempt again. The delivery keeps its GUID. The request writes no
// content, so it counts in a separate budget ([codehost.WithRedelivery]).
func (h *Host) Redeliver(ctx context.Context, id int64) error {
	c := h.appCall("redeliver")
	c.Effect = true
	return h.run(codehost.WithRedelivery(ctx), c, func(ctx context.Context) error {
		_, _, err := h.client.Apps.RedeliverHookDelivery(ctx, id)
		return err
	})
}
