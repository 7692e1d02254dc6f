package cases

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Mine makes cases from a repository's own history. It only reads the repository, which may be bare.
//
// A case with a defect is a reversed repair. A repair is a commit with a subject about a repair that
// changes 1 to 4 source files by 2 to 80 lines, and a test. The head has the files of the repair's parent,
// and the base the same files with the repair's source files, so that the change brings the defect in.
// Tests stay unchanged, so that they do not reveal it. The changed lines are the place of the defect.
//
// A clean case is another commit of that size whose lines no later repair in the searched history changed or put back.
// Mine traces each line of a repair to the commits that wrote and moved it. The base has the parent's source files and
// tests. A quarter of the clean cases is reversed as well, because removals differ from additions.
//
// The labels come from subjects, without human judgement. The same HEAD, options and seed give the same
// cases, unless Time ends the search.
func Mine(ctx context.Context, repo string, o MineOptions) (*Mined, error) {
	abs, err := filepath.Abs(repo)
	if err != nil {
		return nil, fmt.Errorf("absolute path of the repository: %w", err)
	}
	s, err := snapshot.NewScratch(ctx, abs)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	m := &miner{Scratch: s, o: o.filled(abs), dir: abs, mined: newMined(o.Progress)}
	if err := m.history(ctx); err != nil {
		return nil, err
	}
	if err := m.defects(ctx); err != nil {
		return nil, err
	}
	if m.o.Clean > 0 {
		if err := m.clean(ctx); err != nil {
			return nil, err
		}
	}
	return m.mined.finished()
}

// miner makes cases from one history.
type miner struct {
	*snapshot.Scratch
	o          MineOptions
	dir        string
	mined      *Mined
	attributes diff.Attributes
	log        []snapshot.Record // newest first
	deltas     map[string][]snapshot.Delta
}

// history reads the commits and their changes.
func (m *miner) history(ctx context.Context) error {
	head, err := m.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	if m.log, err = m.Log(ctx, head, m.o.Commits); err != nil {
		return err
	}
	if raw, err := m.Blob(ctx, head, ".gitattributes"); err == nil {
		m.attributes = diff.ParseAttributes(raw)
	}
	m.mined.Report.Looked = len(m.log)
	var single []string
	for _, r := range m.log {
		if len(r.Parents) == 1 {
			single = append(single, r.SHA)
		}
	}
	m.deltas = map[string][]snapshot.Delta{}
	read := 0
	for part := range slices.Chunk(single, 500) {
		m.o.Progress.report("commits read", read, len(single))
		deltas, err := m.DeltasOf(ctx, part)
		if err != nil {
			return err
		}
		read += len(part)
		for sha, d := range deltas {
			m.deltas[sha] = d
		}
	}
	return nil
}

// shape holds the properties of a commit's change that cases depend on.
type shape struct {
	source    []snapshot.Delta
	tests     []snapshot.Delta
	lines     int
	testLines int
	exclusion string // reason that excludes the commit with any subject, or ""
}

func (m *miner) shape(deltas []snapshot.Delta) (s shape) {
	for _, d := range deltas {
		if !utf8.ValidString(d.Path) { // case.json could not contain it
			s.exclusion = "a path is not UTF-8"
		}
		class, _ := diff.Classify(d.Path, nil)
		if marked, ok := m.attributes.Class(d.Path); ok {
			class = marked
		}
		switch class {
		case diff.ClassTest:
			s.tests = append(s.tests, d)
			s.testLines += max(d.Added+d.Removed, 0)
		case diff.ClassGenerated, diff.ClassVendored, diff.ClassMinified:
			s.exclusion = "generated or vendored files changed"
		case diff.ClassSource:
			s.source = append(s.source, d)
			s.lines += d.Added + d.Removed
			if d.Old.Mode != d.New.Mode || d.Old.Mode != 0o100644 && d.Old.Mode != 0o100755 || d.Added < 0 {
				s.exclusion = "source files were added, deleted or renamed"
			}
		}
	}
	if s.exclusion == "" {
		s.exclusion = rejectionReason(len(s.source), s.lines)
	}
	return s
}

// candidate is a commit that may become a case.
type candidate struct {
	snapshot.Record
	shape
	at int // position in the log
}

// defects makes cases of fitting repairs, up to the wanted number.
func (m *miner) defects(ctx context.Context) error {
	var list []candidate
	for i, r := range m.log {
		switch {
		case len(r.Parents) > 1:
			m.mined.Report.Left["merge"]++
			continue
		case len(r.Parents) == 0 || m.deltas[r.SHA] == nil:
			m.mined.Report.Left["first commit, too many files, or files not at hand"]++
			continue
		}
		switch classify(r.Subject) {
		case revertSubject:
			m.mined.Report.Left["revert, merge or release"]++
		case otherSubject:
			m.mined.Report.Left["the subject says no repair"]++
		case repairSubject:
			s := m.shape(m.deltas[r.SHA])
			if s.exclusion == "" && len(s.tests) == 0 {
				s.exclusion = "no test in the same commit"
			}
			if s.exclusion != "" {
				m.mined.Report.Left["repair: "+s.exclusion]++
				continue
			}
			list = append(list, candidate{r, s, i})
		}
	}
	for i, c := range m.shuffled(list) {
		m.o.Progress.report("repairs looked at", i, len(list))
		if m.mined.Report.Defects == m.o.Defects {
			m.mined.Report.Left["repair: more than wanted"]++
			continue
		}
		added, err := m.add(ctx, c, turned)
		if err != nil {
			return err
		}
		if added {
			m.mined.Report.Defects++
		}
	}
	return nil
}

// shuffled orders candidates by the seed and their ids alone.
func (m *miner) shuffled(list []candidate) []candidate {
	rank := func(c candidate) uint64 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", m.o.Seed, c.SHA))
		return binary.BigEndian.Uint64(sum[:8])
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// recipe is a way to make a case from a commit.
type recipe struct {
	kind    eval.Kind
	reverse bool
	origin  string
}

var (
	turned      = recipe{eval.Defect, true, "commit %s, a repair, turned round"}
	cleanTurned = recipe{eval.Clean, true, "commit %s, turned round"}
	cleanAsIs   = recipe{eval.Clean, false, "commit %s"}
)

// add makes the case of a commit. It returns false if the change has no lines that could be wrong, or the
// code cannot be read.
func (m *miner) add(ctx context.Context, c candidate, w recipe) (bool, error) {
	for _, d := range c.source {
		raw, err := m.Blob(ctx, c.SHA, d.Path)
		if err != nil {
			m.mined.Report.Left["a file is too large or not at hand"]++
			return false, ctx.Err()
		}
		if class, _ := diff.Classify(d.Path, raw); class != diff.ClassSource {
			m.mined.Report.Left["generated or vendored files changed"]++
			return false, nil
		}
	}
	change, err := m.change(ctx, c, w)
	if errs.Is(err, errs.NotFound) || errs.Is(err, errs.Unavailable) {
		m.mined.Report.Left["a file is too large or not at hand"]++
		return false, nil
	}
	if err != nil {
		return false, err
	}
	set, err := diff.Parse(change.Raw)
	if err != nil {
		return false, err
	}
	e := eval.Case{ID: strings.Map(idRune, m.o.Name) + "-" + c.SHA[:12], Set: "mined", Repository: m.o.Name, Kind: w.kind, Heads: 1,
		Licence: m.o.Licence,
		Origin:  fmt.Sprintf(w.origin, c.SHA)}
	describe(&e, set)
	golden := places(set)
	if len(golden) == 0 {
		m.mined.Report.Left["only comments, imports or blank lines changed"]++
		return false, nil
	}
	if w.kind == eval.Defect {
		for i := range golden {
			golden[i].Text, golden[i].Category = clip.Bytes(strings.ToValidUTF8(c.Subject, "?"), maxSubject), family(c.Subject)
		}
		e.Golden = golden
	}
	if e.Definitions, err = m.definitions(ctx, set, change); err != nil {
		return false, err
	}
	if err := check(e); err != nil {
		return false, fmt.Errorf("case of commit %s: %w", c.SHA, err)
	}
	m.put(e, c, w)
	return true, nil
}

// definitions returns the definitions that a change of Go code uses.
func (m *miner) definitions(ctx context.Context, set *diff.Set, c *snapshot.Change) ([]eval.Definition, error) {
	if !slices.ContainsFunc(set.Files, func(f *diff.File) bool { return f.Language == "Go" }) {
		return nil, nil
	}
	base, err := inStore(ctx, m.Scratch, c.MergeBase)
	if err != nil {
		return nil, err
	}
	head, err := inStore(ctx, m.Scratch, c.Head)
	if err != nil {
		return nil, err
	}
	return definitions(set, base, head), nil
}

// change returns the change of a case.
func (m *miner) change(ctx context.Context, c candidate, w recipe) (*snapshot.Change, error) {
	base, head, err := versionsOf(ctx, m.Scratch, c, w)
	if err != nil {
		return nil, err
	}
	return m.Between(ctx, base, head)
}

// maxSubject is the most bytes of a stored subject.
const maxSubject = 500

// idRune replaces characters that an id cannot contain.
func idRune(r rune) rune {
	if r > ' ' && r != 0x7f && r != '/' && r != '\\' {
		return r
	}
	return '-'
}

// versionsOf makes the two sides of a case.
func versionsOf(ctx context.Context, s *snapshot.Scratch, c candidate, w recipe) (base, head string, err error) {
	head = c.SHA
	if w.reverse {
		head = c.Parents[0]
	}
	v := snapshot.Version{From: head}
	if w.reverse {
		for _, d := range c.source {
			v.Take = append(v.Take, d.New)
		}
	} else {
		for _, d := range slices.Concat(c.source, c.tests) {
			v.Take = append(v.Take, d.Old)
		}
	}
	commits, err := s.Commit(ctx, v)
	if err != nil {
		return "", "", err
	}
	return commits[0], head, nil
}

// put adds a case with functions that open and write its code.
func (m *miner) put(e eval.Case, c candidate, w recipe) {
	dir := m.dir
	m.mined.reversed[e.ID] = w.reverse
	m.mined.entries = append(m.mined.entries, entry{e, func(ctx context.Context) ([]eval.Change, func(), error) {
		return inScratch(ctx, dir, func(s *snapshot.Scratch) ([]eval.Change, error) {
			base, head, err := versionsOf(ctx, s, c, w)
			if err != nil {
				return nil, err
			}
			return between(ctx, s, base, head)
		})
	}})
	m.mined.save[e.ID] = func(ctx context.Context, to string, e eval.Case) error {
		s, err := snapshot.NewScratch(ctx, dir)
		if err != nil {
			return err
		}
		defer s.Close()
		base, head, err := versionsOf(ctx, s, c, w)
		if err != nil {
			return err
		}
		return m.mined.writeBundle(ctx, to, e, s, base, head)
	}
}
