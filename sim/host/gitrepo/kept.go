package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Bounds of the answers that a repository caches.
const (
	maxKept      = 512      // answers
	maxKeptBytes = 16 << 10 // of one answer
)

var fullName = regexp.MustCompile(`^[0-9a-f]{40}$`)

// answers caches git's answers about objects. It is safe for concurrent use.
type answers = lru.Cache[string, []byte]

func newAnswers() *answers {
	kept, err := lru.New[string, []byte](maxKept)
	if err != nil { // only for a size that is not positive
		panic(err)
	}
	return kept
}

// read runs a git command that reads the objects revs. It caches the answer if each rev is a full object name,
// because objects never change and starting git is the main cost of a request. It does not cache errors,
// because objects may arrive later.
func (r *Repo) read(ctx context.Context, revs []string, args ...string) ([]byte, error) {
	key := strings.Join(args, "\x00")
	for _, rev := range revs {
		if !fullName.MatchString(rev) {
			return r.git(ctx, nil, args...)
		}
	}
	if out, ok := r.answers.Get(key); ok {
		return out, nil
	}
	out, err := r.git(ctx, nil, args...)
	if err == nil && len(out) <= maxKeptBytes {
		r.answers.Add(key, out)
	}
	return out, err
}

// places are the prefixes at which a revision is looked up, in order.
var places = []string{"refs/heads/", "refs/tags/", "refs/", ""}

// branch reads the commit from a branch's own file; "" for any other revision.
func (r *Repo) branch(rev string) string {
	for _, place := range places[:3] { // below refs the files are small
		raw, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(place+rev)))
		if err != nil {
			if _, err := os.Stat(filepath.Join(r.dir, "packed-refs")); err == nil {
				return "" // the revision may be there
			}
			continue
		}
		name := strings.TrimSuffix(string(raw), "\n")
		if fullName.MatchString(name) && strings.HasPrefix(place+rev, places[0]) {
			return name
		}
		return ""
	}
	return ""
}
