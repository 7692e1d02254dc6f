package connect

import (
	"context"
	"maps"
	"sync"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/snapshot"
)

// releases finds the tag of the newest release with git, and reads files through the host's API, because a
// review needs few of them.
type releases struct {
	snapshots *Snapshots
	host      codehost.Reader
	repo      codehost.Repo
	head      string // of the change; a tag of it is no earlier release

	mu     sync.Mutex
	asked  bool
	tags   snapshot.Tags
	failed error
}

// Released implements [snapshot.Releaser]. It lists the tags once, and keeps an error too unless the caller's context caused it.
func (r *releases) Released(ctx context.Context, path string) (version string, content []byte, err error) {
	tags, err := r.list(ctx)
	if err != nil {
		return "", nil, err
	}
	version, sha := tags.Newest(path)
	if version == "" {
		return "", nil, nil
	}
	content, err = hostTree{r.host, r.repo, sha}.Blob(ctx, path)
	return version, content, err
}

func (r *releases) list(ctx context.Context) (snapshot.Tags, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.asked {
		r.tags, r.failed = r.snapshots.tags(ctx, r.host, r.repo)
		maps.DeleteFunc(r.tags, func(_, sha string) bool { return sha == r.head })
		r.asked = r.failed == nil || ctx.Err() == nil // another caller may have more time
	}
	return r.tags, r.failed
}

func (s *Snapshots) tags(ctx context.Context, host codehost.Reader, repo codehost.Repo) (snapshot.Tags, error) {
	access, err := host.Clone(ctx, repo)
	if err != nil {
		return nil, err
	}
	remote, _, err := s.remote(ctx, access)
	if err != nil {
		return nil, err
	}
	return s.Cache.Tags(ctx, remote)
}
