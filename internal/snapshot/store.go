package snapshot

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/errs"
)

// maxPacks is the number of packs after which a store is fetched again, because every fetch adds one and
// nothing is repacked.
const maxPacks = 64

// maxRefs is how many fetched commits a store names, so that later fetches transfer only new objects.
const maxRefs = 32

// corruptMark is the file that marks a store as damaged.
const corruptMark = "assay-damaged"

// usedMark is the file whose time records a store's last use.
const usedMark = "assay-used"

// errDamaged means that objects of the store cannot be read.
var errDamaged = errors.New("the object store is damaged")

func isCorrupt(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, corruptMark))
	return err == nil
}

// damaged marks the store, so that the next Fetch removes it.
func (r *Repo) damaged(cause error) error {
	if r.done != nil { // the objects are borrowed
		return errs.Wrap(errors.Join(errDamaged, cause), errs.Unavailable, "objects_missing",
			"The repository lacks objects that the change needs: git fsck names them.")
	}
	_ = os.WriteFile(filepath.Join(r.dir, corruptMark), nil, 0o600)
	return errs.Wrap(errors.Join(errDamaged, cause), errs.Unavailable, "snapshot_damaged",
		"The snapshot of the repository is damaged. It is made again on the next try.")
}

func touch(dir string) {
	name, now := filepath.Join(dir, usedMark), time.Now()
	if os.Chtimes(name, now, now) != nil {
		_ = os.WriteFile(name, nil, 0o600)
	}
}

func countPacks(dir string) int {
	names, _ := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack"))
	return len(names)
}

// prepare creates an empty bare store, or removes the leftovers of a killed git from an existing one. It
// reports whether the store is new. The caller holds the lock for fetching.
func prepare(ctx context.Context, git program, dir string, format ...string) (fresh bool, err error) {
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
		for _, pattern := range []string{"*.lock", "refs/assay/*.lock", "objects/pack/tmp_*", "objects/pack/*.lock", "objects/*/tmp_obj_*"} {
			names, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
			for _, n := range names {
				_ = os.Remove(n)
			}
		}
		return false, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return true, errs.Wrap(err, errs.Internal, "snapshot_folder", "The folder of snapshots cannot be written.")
	}
	args := append([]string{"init", "--quiet", "--bare", "--template="}, format...)
	if _, err := git.run(ctx, call{args: append(args, dir), what: "store"}); err != nil {
		return true, errs.Wrap(err, errs.Internal, "snapshot_folder", "The object store cannot be made.")
	}
	return true, os.Chmod(dir, 0o700)
}

// keepRefs deletes the oldest references above the bound.
func keepRefs(dir string) {
	entries, _ := os.ReadDir(filepath.Join(dir, "refs", "assay"))
	if len(entries) <= maxRefs {
		return
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(modified(a), modified(b)) })
	for _, e := range entries[:len(entries)-maxRefs] {
		_ = os.Remove(filepath.Join(dir, "refs", "assay", e.Name()))
	}
}

func modified(e fs.DirEntry) int64 {
	if i, err := e.Info(); err == nil {
		return i.ModTime().UnixNano()
	}
	return 0
}

// evict removes the least recently used stores until the folder is within its bound. Stores in use, and the
// store keep, stay.
func (c *Cache) evict(keep string) {
	if c.MaxBytes <= 0 {
		return
	}
	dirs, _ := filepath.Glob(filepath.Join(c.Dir, "*.git"))
	type store struct {
		dir, name string
		used      int64
		size      int64
	}
	var all []store
	var total int64
	for _, d := range dirs {
		s := store{dir: d, name: strings.TrimSuffix(filepath.Base(d), ".git"), size: folderSize(d)}
		if i, err := os.Stat(filepath.Join(d, usedMark)); err == nil {
			s.used = i.ModTime().UnixNano()
		}
		total += s.size
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b store) int { return cmp.Compare(a.used, b.used) })
	for _, s := range all {
		if total <= c.MaxBytes {
			return
		}
		if s.name != keep && removeUnused(c.Dir, s.name, s.dir) {
			total -= s.size
		}
	}
}

// removeUnused removes a store unless another process holds its lock.
func removeUnused(root, name, dir string) bool {
	lock, err := openLock(root, name, ".lock")
	if err != nil {
		return false
	}
	defer lock.Close()
	if ok, err := tryLock(lock, exclusive); !ok || err != nil {
		return false
	}
	return os.RemoveAll(dir) == nil
}

func folderSize(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if i, err := d.Info(); err == nil {
				n += i.Size()
			}
		}
		return nil
	})
	return n
}
