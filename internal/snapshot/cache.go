package snapshot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/sandbox"
)

// lockPoll is the interval of tries for a taken lock.
const lockPoll = 50 * time.Millisecond

// Cache keeps one bare object store per repository in a folder. Several processes may share the folder. Its
// methods are safe for concurrent use.
type Cache struct {
	Dir          string        // created if absent, readable by its owner only
	GitPath      string        // "" looks git up in PATH; 2.31 or newer, 2.37 for Remote.Resolve
	MaxBytes     int64         // of all stores together; 0: no bound. Stores in use stay
	MaxRepoBytes int64         // of one store; 0: defaultMaxRepo
	FetchTimeout time.Duration // 0: defaultFetchTimeout
	// Launcher starts git with limits of memory, processor time and file sizes; nil: without limits.
	Launcher *sandbox.Launcher
}

// Repo is an open object store with the requested commits. Close releases it.
type Repo struct {
	git  program
	dir  string
	lock *os.File
	cat  *catFile
	done func() // removes a temporary store

	index     WordIndex    // of words; nil: searches read all files
	narrowing sync.Mutex   // guards what follows
	words     wordLists    // of files that the index does not know
	listed    string       // the commit whose source files are known; "" for none
	files     []SourceFile // of that commit
}

// Close returns the store to the cache and ends its helper process.
func (r *Repo) Close() error {
	r.cat.stop()
	var err error
	if r.lock != nil {
		err = r.lock.Close() // releases the lock
	}
	if r.done != nil {
		r.done()
	}
	return err
}

// Fetch ensures that a repository's store holds the commits, and opens it. The key names the repository. It
// must keep tenants apart that must not share a store, because objects can be read by their hash.
//
// Errors: kind Malformed for a bad URL or hash, Forbidden if the host refuses the token, NotFound if the
// host lacks a commit, RateLimited if the host asks for fewer requests, TooLarge, Unavailable for other
// failures, and those of the context and of [Remote.Turn].
func (c *Cache) Fetch(ctx context.Context, remote Remote, key string, shas ...string) (*Repo, error) {
	if err := remote.check(); err != nil {
		return nil, err
	}
	for _, s := range shas {
		if err := checkSHA(s); err != nil {
			return nil, err
		}
	}
	git, err := findGit(c.GitPath)
	if err != nil {
		return nil, err
	}
	git.bounds = c.bounds()
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, errs.Wrap(err, errs.Internal, "snapshot_folder", "The folder of snapshots cannot be made.")
	}
	sum := sha256.Sum256([]byte(key))
	name := hex.EncodeToString(sum[:16])
	repo := &Repo{git: git, dir: filepath.Join(c.Dir, name+".git")}
	repo.cat = &catFile{git: git, dir: repo.dir}
	if repo.lock, err = openLock(c.Dir, name, ".lock"); err != nil {
		return nil, err
	}
	if err := c.open(ctx, repo, remote, name, shas); err != nil {
		_ = repo.lock.Close()
		return nil, err
	}
	touch(repo.dir)
	return repo, nil
}

// bounds returns the limits of one git command on an untrusted repository.
func (c *Cache) bounds() *bounds {
	return &bounds{launcher: c.Launcher, limits: sandbox.Limits{
		AddressSpace: maxMemory,
		CPU:          max(cmp.Or(c.FetchTimeout, defaultFetchTimeout), defaultReadTimeout), // wall-clock time usually ends git first
		FileSize:     cmp.Or(c.MaxRepoBytes, defaultMaxRepo),
		Files:        1024,
	}}
}

// open returns with the store's lock held in shared mode and the commits in the store.
//
// Two locks guard a store. Readers and fetches share ".lock"; only a removal takes it exclusively. ".fetch"
// allows one fetch at a time. No process waits for it while it holds ".lock", so that its owner can wait
// for the exclusive lock.
func (c *Cache) open(ctx context.Context, repo *Repo, remote Remote, name string, shas []string) error {
	if err := waitLock(ctx, repo.lock, shared); err != nil {
		return err
	}
	if !isCorrupt(repo.dir) && repo.has(ctx, shas) {
		return nil
	}
	if err := errors.Join(waitLock(ctx, repo.lock, unlocked), ctx.Err()); err != nil {
		return err
	}
	turn, err := openLock(c.Dir, name, ".fetch")
	if err != nil {
		return err
	}
	defer turn.Close()
	if err := errors.Join(waitLock(ctx, turn, exclusive), waitLock(ctx, repo.lock, shared)); err != nil {
		return err
	}
	if err := c.fill(ctx, repo, remote, shas); err != nil {
		return err
	}
	c.evict(name)
	return nil
}

// fill fetches the missing commits into the store. A store that fails for reasons of its own is removed and
// fetched again, once.
func (c *Cache) fill(ctx context.Context, repo *Repo, remote Remote, shas []string) error {
	if isCorrupt(repo.dir) {
		if err := repo.remove(ctx); err != nil {
			return err
		}
	} else if countPacks(repo.dir) > maxPacks {
		if alone, _ := tryLock(repo.lock, exclusive); alone {
			if err := repo.remove(ctx); err != nil {
				return err
			}
		} else if err := waitLock(ctx, repo.lock, shared); err != nil { // a failed conversion loses the lock (flock(2))
			return err
		}
	}
	fresh, err := prepare(ctx, repo.git, repo.dir)
	if err == nil {
		var missing []string
		for _, s := range shas {
			if !repo.has(ctx, []string{s}) {
				missing = append(missing, s)
			}
		}
		err = c.fetch(ctx, repo, remote, missing)
		if err == nil && !repo.has(ctx, shas) {
			err = errs.New(errs.NotFound, "commit_gone", "The host does not have the commit.")
		}
	}
	if err == nil || ctx.Err() != nil || fresh && !errors.Is(err, errDamaged) || !retriable(err) {
		return err
	}
	if _, healthy := repo.git.run(ctx, call{dir: repo.dir, args: []string{"rev-parse", "--git-dir"}, what: "store"}); healthy == nil &&
		!errors.Is(err, errDamaged) {
		return err // the host's failure: the store stays
	}
	if err := repo.remove(ctx); err != nil {
		return err
	}
	if _, err := prepare(ctx, repo.git, repo.dir); err != nil {
		return err
	}
	return c.fetch(ctx, repo, remote, shas)
}

// remove deletes the store when no other process reads it, and takes the shared lock again.
func (r *Repo) remove(ctx context.Context) error {
	if err := waitLock(ctx, r.lock, exclusive); err != nil {
		return err
	}
	if err := os.RemoveAll(r.dir); err != nil {
		return errs.Wrap(err, errs.Internal, "snapshot_folder", "A damaged snapshot cannot be removed.")
	}
	return waitLock(ctx, r.lock, shared)
}

// retriable reports whether the store may be the cause of a failure, and not the host.
func retriable(err error) bool {
	return !errs.Is(err, errs.Forbidden) && !errs.Is(err, errs.RateLimited) && !errs.Is(err, errs.TooLarge) && !errs.Is(err, errs.Malformed)
}

// has reports whether the store holds commits with their trees.
func (r *Repo) has(ctx context.Context, shas []string) bool {
	if _, err := os.Stat(filepath.Join(r.dir, "HEAD")); err != nil {
		return false
	}
	for _, s := range shas {
		if _, err := r.git.run(ctx, call{dir: r.dir, args: []string{"cat-file", "-e", s + "^{tree}"}, what: "commit"}); err != nil {
			return false
		}
	}
	return true
}

// findGit returns the git command. An absolute path is not looked up.
func findGit(path string) (program, error) {
	if path == "" {
		path = "git"
	}
	full, err := exec.LookPath(path)
	if err != nil {
		return program{}, errs.Wrap(err, errs.Unavailable, "git_missing",
			"The git command was not found. Install git 2.31 or newer, or set its path.")
	}
	if full, err = filepath.Abs(full); err != nil {
		return program{}, fmt.Errorf("path of git: %w", err)
	}
	return program{path: full}, nil
}

func openLock(dir, name, suffix string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, name+suffix), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errs.Wrap(err, errs.Internal, "snapshot_folder", "The folder of snapshots cannot be written.")
	}
	return f, nil
}

// lockMode is how a lock is held.
type lockMode int

const (
	unlocked lockMode = iota
	shared
	exclusive
)

// waitLock takes, converts or releases a lock. It gives up when the context ends.
func waitLock(ctx context.Context, f *os.File, mode lockMode) error {
	for {
		ok, err := tryLock(f, mode)
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}
