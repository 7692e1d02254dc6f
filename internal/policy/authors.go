package policy

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// authorAge is how long it is believed what a host said of an author. It decides
// how much a review may cost, not who gets in, and a person who pushes often
// costs one request in this time.
const authorAge = 10 * time.Minute

// authorKind names the entries in the cache.
const authorKind = "author-writes"

// MayWrite reports whether a role of a host, a word of [codehost.Reader]'s
// Permission, is one that may write.
func MayWrite(role string) bool { return role == "write" || role == "maintain" || role == "admin" }

// Outsider says whether a pull request comes from outside of its repository, as far as
// it tells that itself; otherwise known is false, and [Authors.MayWrite] of its author
// decides. What comes from a fork does, whoever has opened it, as the people who push to
// a fork are not those of the repository. A head without a branch is its author's alone.
func Outsider(pr codehost.PullRequest) (outside, known bool) {
	outside = pr.FromFork && !pr.Branchless
	return outside, outside || pr.Association == codehost.AssociationOwner
}

// Authors knows which authors may write to a repository. It is safe for
// concurrent use.
type Authors struct{ Cache cache.Cache }

// MayWrite reports whether the host lets an author write to a repository. What it
// said is believed for ten minutes. Whom the host does not know, or takes for no
// account, may not; any other error of the host is returned. id is the number of the author, "" if
// it is not known: another account may take the name while the answer is believed.
func (a *Authors) MayWrite(ctx context.Context, host codehost.Reader, ref codehost.Repo, repo store.Repository,
	author string, id domain.HostID) (bool, error) {
	key := cache.Key{Tenant: repo.Tenant, Kind: authorKind, ID: repo.ID + "/" + string(id) + "/" + author}
	if said, found, err := a.Cache.Get(ctx, key); err == nil && found { // a cache that is down is a miss
		return string(said) == "yes", nil
	}
	role, err := host.Permission(ctx, ref, author)
	if err != nil && !codehost.Gone(err) && codehost.ClassOf(err) != codehost.ClassInvalid {
		return false, err
	}
	may := err == nil && MayWrite(role)
	said := "no"
	if may {
		said = "yes"
	}
	_ = a.Cache.Set(ctx, key, []byte(said), authorAge) // the next one asks again
	return may, nil
}
