package policy

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// authorAge is how long the host's answer about an author counts. The answer decides how much a review may
// cost, not who may sign in. An author who pushes often costs one request in this time.
const authorAge = 10 * time.Minute

// The kinds of the cache entries. Commenters have their own, because they are asked about by id.
const (
	authorKind    = "author-writes"
	commenterKind = "commenter-writes"
)

// MayWrite reports whether a role, as [codehost.Reader]'s Permission names it, may write.
func MayWrite(role string) bool { return role == "write" || role == "maintain" || role == "admin" }

// CommenterRole asks the host for the role of a comment's author. It asks by id if the event has one and the host
// supports it, because another account may have the login by now.
func CommenterRole(ctx context.Context, host codehost.Host, ref codehost.Repo, cm codehost.EventComment) (string, error) {
	word, byID, err := commenterRole(ctx, host, ref, cm)
	if byID && codehost.ClassOf(err) == codehost.ClassNotFound { // the account is gone, or another account has the login
		return "none", nil
	}
	return word, err
}

// commenterRole is like [CommenterRole], but returns the host's error about an id that it does not know. byID reports whether it
// asked by id.
func commenterRole(ctx context.Context, host codehost.Host, ref codehost.Repo, cm codehost.EventComment) (
	word string, byID bool, err error) {
	byNumber, ok := host.(interface {
		PermissionOf(ctx context.Context, repo codehost.Repo, person domain.HostID, login string) (string, error)
	})
	if !ok || cm.AuthorID == "" || ref.ExternalID == "" {
		word, err = host.Permission(ctx, ref, cm.Author)
		return word, false, err
	}
	word, err = byNumber.PermissionOf(ctx, ref, cm.AuthorID, cm.Author)
	return word, true, err
}

// Outsider reports whether a pull request comes from outside of its repository. A pull request from a fork
// does, because people who push to a fork need no rights on the repository; one without a branch does not,
// because only its author writes its head. If known is false, the pull request does not show it, and
// [Authors.MayWrite] of its author decides.
func Outsider(pr codehost.PullRequest) (outside, known bool) {
	outside = pr.FromFork && !pr.Branchless
	return outside, outside || pr.Association == codehost.AssociationOwner
}

// Authors reports which authors may write to a repository. It is safe for concurrent use.
type Authors struct{ Cache cache.Cache }

// MayWrite reports whether the host lets an author write to a repository. An answer counts for ten minutes.
// An author whom the host does not know or does not show, or who is not an account, may not write; other errors
// of the host are returned. id is the author's id on the host, "" if unknown. It is part of the cache key, because
// another account can take the name.
func (a *Authors) MayWrite(ctx context.Context, host codehost.Reader, ref codehost.Repo, repo store.Repository,
	author string, id domain.HostID) (bool, error) {
	may, err := a.ask(ctx, authorKind, repo, author, id, func() (string, error) { return host.Permission(ctx, ref, author) })
	if codehost.IsAccessLost(err) { // not stored, because the host may answer the next time
		return false, nil
	}
	return may, err
}

// CommenterMayWrite reports whether the host lets the author of a comment write to a repository, as [CommenterRole] asks. An answer
// counts for ten minutes. An author who is not an account may not write; all other errors of the host are returned. An author
// whose id the host does not know cannot write, if the host shows the pull request. This result is not stored, because the host
// may know the id the next time.
func (a *Authors) CommenterMayWrite(ctx context.Context, host codehost.Host, ref codehost.Repo, repo store.Repository,
	cm codehost.EventComment) (bool, error) {
	asked := false // by id
	may, err := a.ask(ctx, commenterKind, repo, cm.Author, cm.AuthorID, func() (word string, err error) {
		word, asked, err = commenterRole(ctx, host, ref, cm)
		return word, err
	})
	if asked && codehost.ClassOf(err) == codehost.ClassNotFound {
		_, err = host.PullRequest(ctx, ref, cm.Number) // a repository that cannot be reached looks alike
		return false, err
	}
	return may, err
}

// ask returns the stored answer about an author, or asks for the author's role and stores the answer. Errors are not stored.
func (a *Authors) ask(ctx context.Context, kind string, repo store.Repository, author string, id domain.HostID,
	role func() (string, error)) (bool, error) {
	key := cache.Key{Tenant: repo.Tenant, Kind: kind, ID: repo.ID + "/" + string(id) + "/" + author}
	if cached, found, err := a.Cache.Get(ctx, key); err == nil && found { // a cache that is down is a miss
		return string(cached) == "yes", nil
	}
	word, err := role()
	if err != nil && codehost.ClassOf(err) != codehost.ClassInvalid {
		return false, err
	}
	may := err == nil && MayWrite(word)
	cached := "no"
	if may {
		cached = "yes"
	}
	_ = a.Cache.Set(ctx, key, []byte(cached), authorAge) // without the entry, the next call asks the host again
	return may, nil
}
