// Package byhand lets a person, or a model without an interface, answer the requests of a review. Each request
// becomes a file of a folder, and its answer is read from the file beside it.
//
// The names of files come from hashes of requests, so a later run with the same requests finds the answers of
// an earlier one. The folder belongs to the person: the package replaces and removes no file but its own notes
// about refused answers.
package byhand

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/eval/cassette"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/ask"
)

const (
	// interval is the time between two looks at an answer. A file that is equal at two looks is read.
	interval = 250 * time.Millisecond
	// settledAfter is the age of a file that is read at the first look.
	settledAfter = 2 * time.Second
	// maxEntries bounds the entries of a folder (design choice: three files for each call of a full cassette).
	maxEntries = 600_000
	// window is the context of the reader in tokens, as for scripted models.
	window = 200_000
	// model is the name of the reader in requests and cassettes.
	model = "by-hand"
)

// Endings of the files of a request.
const (
	endRequest = ".request.md"
	endAnswer  = ".answer.json"
	endError   = ".error.txt"
)

// requestName matches the names of requests: a number and the beginning of the request's hash.
var requestName = regexp.MustCompile(`^([0-9]{4,6})-([0-9a-f]{16})\.request\.md$`)

// Folder writes requests and reads answers. It is safe for concurrent use; two processes must not share a
// folder.
type Folder struct {
	path     string
	say      func(format string, args ...any)
	interval time.Duration // between two looks at an answer

	mu    sync.Mutex
	names map[string]string // names of requests without their ending, by hash
	last  int               // highest number of a request
}

// Open opens a folder and makes it if it is absent. say receives one line for each request that waits and each
// answer that is refused, never concurrently; nil drops them.
func Open(path string, say func(format string, args ...any)) (*Folder, error) {
	if say == nil {
		say = func(string, ...any) {}
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	f := &Folder{path: path, say: say, interval: interval, names: map[string]string{}}
	return f, f.scan()
}

// scan finds the requests of earlier runs.
func (f *Folder) scan() error {
	dir, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // only read
	for n := 0; ; {
		entries, err := dir.ReadDir(1000)
		if n += len(entries); n > maxEntries {
			return fmt.Errorf("%s has more than %d entries: name another folder", f.path, maxEntries)
		}
		for _, e := range entries {
			m := requestName.FindStringSubmatch(e.Name())
			if m == nil || !e.Type().IsRegular() {
				continue
			}
			number, _ := strconv.Atoi(m[1]) // at most six digits
			f.names[m[2]], f.last = strings.TrimSuffix(e.Name(), endRequest), max(f.last, number)
		}
		if err != nil || len(entries) == 0 {
			return ignoreEnd(err)
		}
	}
}

// Models returns routes to the reader for all tiers.
func (f *Folder) Models() *ask.Models {
	route := func(tier string) ask.Route {
		return ask.Route{Client: client{f, tier}, Model: model, Tier: tier, Window: window}
	}
	return &ask.Models{Fast: route(ask.TierFast), Standard: route(ask.TierStandard), Strong: route(ask.TierStrong)}
}

type client struct {
	folder *Folder
	tier   string
}

// ListModels implements [llm.Client].
func (client) ListModels(context.Context) ([]llm.ModelInfo, error) {
	return []llm.ModelInfo{{ID: model, DisplayName: model}}, nil
}

// Complete implements [llm.Client]. It writes the request, unless it is there, and waits for an answer that can
// be used, for as long as ctx lasts.
func (c client) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	hash, err := cassette.Key(r)
	if err != nil {
		return llm.Response{}, err
	}
	name, err := c.folder.put(hash, c.tier, r)
	if err != nil {
		return llm.Response{}, &llm.Error{Class: llm.ClassFinal, ProviderMessage: err.Error(), Cause: err}
	}
	resp, err := c.folder.wait(ctx, name, r)
	if err != nil {
		return resp, err
	}
	resp.Model, resp.Usage = model, resp.Estimate(r)
	return resp, nil
}

// put writes a request, unless it is there, and returns its name without an ending.
func (f *Folder) put(hash, tier string, r llm.Request) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	short := hash[:16]
	if name, ok := f.names[short]; ok {
		return name, nil
	}
	name := fmt.Sprintf("%04d-%s", f.last+1, short)
	text := render(sheet{number: f.last + 1, name: name, hash: hash, tier: tier}, r)
	if err := f.writeWhole(name+endRequest, text); err != nil {
		return "", err
	}
	f.last++
	f.names[short] = name
	return name, nil
}

// writeWhole writes a file under another name first, so that no reader sees a part of it.
func (f *Folder) writeWhole(name, text string) error {
	file, err := os.CreateTemp(f.path, ".assay-*")
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(f.path, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// wait returns the answer to a request when it is there and can be used.
func (f *Folder) wait(ctx context.Context, name string, r llm.Request) (llm.Response, error) {
	ticker := time.NewTicker(f.interval)
	defer ticker.Stop()
	var before, refused fs.FileInfo
	for asked := false; ; {
		now, err := os.Lstat(filepath.Join(f.path, name+endAnswer))
		if err != nil {
			now = nil
		}
		if now != nil && !same(now, refused) && (same(now, before) || time.Since(now.ModTime()) > settledAfter) {
			resp, err := f.read(name, now, r)
			switch {
			case err == nil:
				f.accept(name)
				return resp, nil
			case !errors.Is(err, errChanging):
				refused = now
				f.refuse(name, err)
			}
		}
		if !asked && (now == nil || refused != nil) {
			asked = true
			f.ask(name)
		}
		before = now
		select {
		case <-ctx.Done():
			return llm.Response{}, llm.Ended(ctx)
		case <-ticker.C:
		}
	}
}

// same reports whether a file is unchanged. nil stands for an absent file, which equals no file.
func same(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

func (f *Folder) ask(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.say("%s waits for %s.", filepath.Join(f.path, name+endRequest), name+endAnswer)
}

// accept removes the note about an earlier answer.
func (f *Folder) accept(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if path := filepath.Join(f.path, name+endError); isNote(path) {
		_ = os.Remove(path) // a note that stays misleads, but the run is right
	}
}

// noteBegins is the beginning of a note about a refused answer, by which a later note may replace it.
const noteBegins = "assay cannot use "

// refuse writes the reason beside an answer, unless a file that is not a note stands there.
func (f *Folder) refuse(name string, reason error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := fmt.Sprintf("%s%s: %s.", noteBegins, name+endAnswer, reason)
	path := filepath.Join(f.path, name+endError)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || isNote(path) {
		if err := f.writeWhole(name+endError, text+"\n"); err != nil {
			f.say("%s cannot be written: %v", path, err)
		}
	}
	f.say("%s", text)
}

// isNote reports whether a file is a note of this package.
func isNote(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path) //nolint:gosec // in the folder that the person named
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // only read
	begin := make([]byte, len(noteBegins))
	n, _ := file.Read(begin)
	return string(begin[:n]) == noteBegins
}
