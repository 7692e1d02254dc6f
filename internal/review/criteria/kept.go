package criteria

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
)

// changeBasis names the part of a change that can prove a criterion, and its merge base. Verdicts that
// something is missing hold as long as it is the same. Files that cannot prove the criterion are left out,
// because changing them cannot change a verdict.
func changeBasis(mergeBase string, set *diff.Set, of theme) string {
	var ids []string
	for _, f := range set.Files {
		if !of.provable(f.Path) && (f.OldPath == "" || !of.provable(f.OldPath)) {
			continue
		}
		ids = append(ids, f.Path+"\x00"+string(f.Status))
		for _, h := range f.Hunks {
			ids = append(ids, h.ID)
		}
	}
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(mergeBase + "\x00" + strings.Join(ids, "\x00")))
	return "change:" + hex.EncodeToString(sum[:16])
}

// basisOf returns the [changeBasis] of a criterion.
func (j *Judge) basisOf(c domain.Criterion) string {
	return changeBasis(j.MergeBase, j.Set, themeOf(c.Text))
}

// evidenceBasis names the lines of places, wherever they stand in their files.
func (j *Judge) evidenceBasis(ctx context.Context, places []domain.Place) string {
	var b strings.Builder
	for _, p := range places {
		f, why := j.Reader.Open(ctx, domain.Right, p.Path)
		if why != "" || p.EndLine > len(f.Lines) {
			return ""
		}
		b.WriteString(";lines:" + digestOf(f.Lines[p.StartLine-1:p.EndLine]))
	}
	return b.String()
}

func digestOf(lines []string) string {
	h := sha256.New()
	for _, l := range lines {
		_, _ = fmt.Fprintf(h, "%s\n", change.OneLine(l))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// maxWindow bounds the lines of a piece of evidence that is looked for elsewhere in its file.
const maxWindow = 60

// kept returns the verdict of an earlier review about a criterion if its evidence is the same. A verdict "met"
// rests on the quoted lines, wherever they stand in their files now. The others also rest on the part of the
// change that can prove the criterion, because the missing code may have come. Unclear criteria are asked
// again, and so are all of them in a review of everything.
func (j *Judge) kept(ctx context.Context, key string, c domain.Criterion) (domain.CriterionCheck, bool) {
	i := slices.IndexFunc(j.Earlier, func(e domain.CriterionCheck) bool { return e.Ticket == key && e.Criterion.ID == c.ID })
	if i < 0 || j.Again {
		return domain.CriterionCheck{}, false
	}
	e := j.Earlier[i]
	change, lines, _ := strings.Cut(e.Basis, ";")
	same := change == j.basisOf(c)
	switch e.Verdict {
	case domain.CriterionMet:
		same = change == ""
	case domain.CriterionPartly, domain.CriterionNotMet, domain.CriterionNotApplicable:
	default:
		return domain.CriterionCheck{}, false
	}
	places := slices.Clone(e.Places)
	if quoted := e.Verdict == domain.CriterionMet || e.Verdict == domain.CriterionPartly; same && quoted {
		same = j.stillStand(ctx, places, strings.Split(lines, ";"))
	}
	if !same {
		return domain.CriterionCheck{}, false
	}
	e.Criterion, e.Places, e.Kept = c, places, true
	return e, true
}

// stillStand looks for the lines of places and moves the places to where they are now. It reports whether all
// were found.
func (j *Judge) stillStand(ctx context.Context, places []domain.Place, digests []string) bool {
	if len(places) == 0 || len(places) > maxBacking || len(digests) != len(places) {
		return false
	}
	for i := range places {
		p, wanted := &places[i], strings.TrimPrefix(digests[i], "lines:")
		f, why := j.Reader.Open(ctx, domain.Right, p.Path)
		n := p.EndLine - p.StartLine + 1
		if why != "" || p.StartLine < 1 || n < 1 {
			return false
		}
		if p.EndLine <= len(f.Lines) && digestOf(f.Lines[p.StartLine-1:p.EndLine]) == wanted {
			continue
		}
		found := -1
		for at := 0; n <= maxWindow && at+n <= len(f.Lines); at++ {
			if digestOf(f.Lines[at:at+n]) == wanted {
				found = at
				break
			}
		}
		if found < 0 {
			return false
		}
		p.StartLine, p.EndLine = found+1, found+n
	}
	return true
}

// Bounds of a repetition of a ticket.
const (
	repeatedWords = 8  // words in a row
	repeatedToken = 12 // characters of a word with digits in it
)

// repeats reports whether a model's text repeats words that only the description of the ticket has: several in
// a row, or one that may be a key.
func (t *ticket) repeats(said, criterion string) bool {
	words, known := wordsOf(said), strings.ToLower(criterion+" "+t.Title+" "+t.Key)
	description := " " + strings.Join(wordsOf(t.description), " ") + " "
	for i, w := range words {
		if tokenlike(w) && strings.Contains(description, w) && !strings.Contains(known, w) {
			return true
		}
		if i+repeatedWords <= len(words) && strings.Contains(description, " "+strings.Join(words[i:i+repeatedWords], " ")+" ") &&
			!strings.Contains(strings.Join(wordsOf(known), " "), strings.Join(words[i:i+repeatedWords], " ")) {
			return true
		}
	}
	return false
}

// quiet replaces the recorded arguments of a call if they repeat the description of the ticket.
func (t *ticket) quiet(arguments string) string {
	if t.repeats(arguments, "") {
		return "(withheld: it repeats the issue)"
	}
	return arguments
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	})
}

func tokenlike(w string) bool {
	return utf8.RuneCountInString(w) >= repeatedToken && strings.ContainsFunc(w, unicode.IsDigit)
}
