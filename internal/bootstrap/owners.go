package bootstrap

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// The configuration names accounts by login name. Because the owner can release a login name and another
// person can take it, the host is asked for the account's id when the name first appears. From then on only
// that id counts. The ids are stored beside the applied values.

// askTime bounds one question about an account. askAgain is the wait after a failed question, and
// askRefused the wait after the host refused it (design choices).
const (
	askTime    = 5 * time.Second
	askAgain   = 10 * time.Second
	askRefused = 30 * time.Second
)

// ownerKey returns the name under which the id of an account is stored.
func ownerKey(api, login string) string {
	return ownerPrefix + api + " " + strings.ToLower(login)
}

const ownerPrefix = "github.owner "

// Place returns a function that names the tenant of an unassigned installation. Installations of the
// configured accounts belong to the first tenant. All others wait for an administrator, because a stranger
// must not enter a tenant. If the host cannot resolve a configured name, the function returns the host's
// error for installations of that name. Their events then wait, and are neither lost nor treated as a
// stranger's.
func (b *Bootstrap) Place(r Result) func(ctx context.Context, app string, i codehost.Installation) (string, error) {
	return func(ctx context.Context, app string, i codehost.Installation) (string, error) {
		if !r.concerns(app, i) {
			return "", nil
		}
		answers, err := b.lookUpOwners(ctx, i.AccountLogin)
		if err != nil {
			return "", err
		}
		if slices.Contains(answers.ids, i.AccountID) {
			return r.Tenant, nil
		}
		return "", answers.silent[strings.ToLower(i.AccountLogin)]
	}
}

// Among returns the function of [Bootstrap.Place] for the accounts that [Bootstrap.Owners] returned. It
// reads nothing, so that one lookup is enough for many installations. It skips accounts that the host has
// not resolved.
func (r Result) Among(owners []domain.HostID) func(ctx context.Context, app string, i codehost.Installation) (string, error) {
	return func(_ context.Context, app string, i codehost.Installation) (string, error) {
		if !r.concerns(app, i) || !slices.Contains(owners, i.AccountID) {
			return "", nil
		}
		return r.Tenant, nil
	}
}

// concerns reports whether the configuration may apply to an installation.
func (r Result) concerns(app string, i codehost.Installation) bool {
	return r.Tenant != "" && app == r.App && i.AccountID != ""
}

// ownerAnswers holds the host's answers about the configured names.
type ownerAnswers struct {
	ids    []domain.HostID
	silent map[string]error // by login name in lower case: why the host has not answered
}

// Owners returns the ids of the configured accounts, and asks the host for unknown ones. It logs and omits
// accounts that the host does not resolve. Many processes may call it at the same time.
func (b *Bootstrap) Owners(ctx context.Context) ([]domain.HostID, error) {
	answers, err := b.lookUpOwners(ctx, "")
	return answers.ids, err
}

// lookUpOwners returns the ids of the accounts. It asks the host for unknown ids: only for login if it is not
// empty, otherwise for all.
func (b *Bootstrap) lookUpOwners(ctx context.Context, login string) (ownerAnswers, error) {
	if b.Config.Tenant == "" || b.Config.GitHub.AppID == 0 || len(b.Config.GitHub.Owner) == 0 {
		return ownerAnswers{}, nil
	}
	app, err := b.Store.App(ctx, appID)
	if errs.Is(err, errs.NotFound) {
		return ownerAnswers{}, nil
	}
	if err != nil {
		return ownerAnswers{}, err
	}
	for tries := 0; ; tries++ {
		answers, err := b.owners(operator(ctx), app, login)
		if raced(err) && tries < 3 {
			continue // another process has stored them
		}
		return answers, err
	}
}

func (b *Bootstrap) owners(ctx context.Context, app store.App, only string) (ownerAnswers, error) {
	known, err := b.loadApplied(ctx)
	if err != nil {
		return ownerAnswers{}, err
	}
	out, found := ownerAnswers{silent: map[string]error{}}, map[string]domain.HostID{}
	for _, login := range b.Config.GitHub.Owner {
		if login = strings.TrimSpace(login); login == "" {
			continue
		}
		id := domain.HostID(known.before[ownerKey(app.APIURL, login)])
		if id == "" && (only == "" || strings.EqualFold(only, login)) {
			if id, err = b.askAccount(ctx, app.ID, login); err != nil {
				out.silent[strings.ToLower(login)] = err
			}
			if id != "" {
				found[login] = id
			}
		}
		if id != "" {
			out.ids = append(out.ids, id)
		}
	}
	if len(found) == 0 {
		return out, nil
	}
	return out, b.Store.InTx(ctx, func(ctx context.Context) error {
		for login, id := range found {
			known.now[ownerKey(app.APIURL, login)] = string(id)
			if err := b.Audit.Record(ctx, audit.Act{Action: "bootstrap.owner", Target: audit.Target{Kind: "account", ID: string(id), Name: login},
				Note: "Installations on this account go to the tenant of the configuration."}); err != nil {
				return err
			}
		}
		return known.keep(ctx)
	})
}

// failedLookup is a failed question about an account.
type failedLookup struct {
	until time.Time // the host is not asked earlier
	err   error     // nil if only a person can assign installations of that name
}

// askAccount asks the host for the id of an account, one question at a time per process. It returns ""
// without an error if the host has no such account or forbids the question. After a failed question it
// repeats the answer for [askAgain] or [askRefused], or for as long as the host's rate limit requires.
func (b *Bootstrap) askAccount(ctx context.Context, app, login string) (domain.HostID, error) {
	if b.Account == nil {
		return "", nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.asked[login]
	if left := time.Until(last.until); left > 0 {
		if limit, is := errors.AsType[*codehost.Error](last.err); is && limit.Class == codehost.ClassLimited {
			again := *limit
			again.RetryAfter = left
			return "", &again
		}
		return "", last.err
	}
	bounded, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	id, err := b.Account(bounded, app, login)
	switch {
	case err == nil && id != "":
		return id, nil
	case ctx.Err() != nil: // the caller's context ended, so this is not an answer of the host
		return "", ctx.Err()
	}
	wait := askAgain
	switch codehost.ClassOf(err) {
	case codehost.ClassLimited:
		wait = max(codehost.RetryAfter(err), time.Second)
	case codehost.ClassNotFound, codehost.ClassForbidden:
		wait = askRefused
	}
	b.Logger.WarnContext(ctx, "the code host does not say which account this is: installations on it wait to be placed until it "+
		"does, or until an administrator places them (ASSAY_BOOTSTRAP_GITHUB_OWNER)", "account", login, "error", err)
	if wait == askRefused {
		err = nil
	}
	if b.asked == nil {
		b.asked = map[string]failedLookup{}
	}
	b.asked[login] = failedLookup{until: time.Now().Add(wait), err: err}
	return "", err
}

// forgetOwners drops the ids of accounts that the configuration no longer names, so that a name that
// returns is looked up again. It reports whether it dropped any.
func (b *Bootstrap) forgetOwners(known *applied) (dropped bool) {
	for name := range known.before {
		rest, is := strings.CutPrefix(name, ownerPrefix)
		_, login, _ := strings.Cut(rest, " ")
		if is && !slices.ContainsFunc(b.Config.GitHub.Owner, func(o string) bool { return strings.EqualFold(strings.TrimSpace(o), login) }) {
			delete(known.before, name)
			delete(known.now, name) // present if this start has already stored values
			dropped = true
		}
	}
	return dropped
}
