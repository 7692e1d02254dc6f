package check

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// secretHit is a secret in the new version of a file.
type secretHit struct {
	rule        string
	first, last int // lines of the new version; 0 for a finding about the file
	doubtful    bool
	values      []string // without repetition; empty for a file that is a secret as a whole
	isOld       bool     // the base has the values, too
}

// addHit adds a secret of a file. Secrets of one rule at one place are one finding.
func (s *secrets) addHit(f *diff.File, h secretHit) {
	if n := len(s.hits[f]); n > 0 {
		last := &s.hits[f][n-1]
		if last.rule == h.rule && last.first == h.first && last.last == h.last && last.doubtful == h.doubtful {
			if !slices.Contains(last.values, h.values[0]) {
				last.values = append(last.values, h.values[0])
			}
			return
		}
	}
	s.hits[f] = append(s.hits[f], h)
}

// maxDigestKeys is the most keys for which digests are made, the newest ones.
const maxDigestKeys = 8

// digests authenticates the values of a hit with each key, so that a stored digest neither tells a value nor can be compared
// with guesses. It returns nil without values or keys.
func (h secretHit) digests(keys [][]byte) (out []string) {
	if len(h.values) == 0 {
		return nil
	}
	values := slices.Sorted(slices.Values(h.values))
	for _, key := range keys[:min(len(keys), maxDigestKeys)] {
		mac := hmac.New(sha256.New, key)
		for _, v := range values {
			_, _ = mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(v))))
			_, _ = mac.Write([]byte(v))
		}
		out = append(out, hex.EncodeToString(mac.Sum(nil)))
	}
	return out
}

// maxJudged bounds the secrets that are judged by the rules for reports. Changes do not contain so many by
// accident.
const maxJudged = 5000

// secrets holds the secrets found in the hunks of a diff.
type secrets struct {
	redactor *Redactor
	keys     [][]byte // see [Options]
	hits     map[*diff.File][]secretHit
	unjudged map[*diff.File]int // number that was not judged
	judged   int
	withheld map[string]string // see [Result]
	unread   map[string]string // see [Result]
	binary   int               // bytes of texts in binary files that were searched
}

// scanSet finds the secrets on both sides of every hunk. The redactor gets the values of all possible ones.
// Those that touch an added line and that gitleaks would report, with its lists of allowed values, become
// hits.
func (s *Scanner) scanSet(ctx context.Context, set *diff.Set, src Source) (*secrets, error) {
	out := &secrets{redactor: newRedactor(s), hits: map[*diff.File][]secretHit{}, unjudged: map[*diff.File]int{},
		withheld: map[string]string{}, unread: map[string]string{}}
	for _, f := range set.Files {
		reportFile(ctx, f)
		if len(f.Hunks) == 0 && f.Status == diff.Added && f.Omitted != diff.OmittedPath { // no checkout has this path
			if rule := s.fileRule(ctx, f.Path); rule != "" {
				out.hits[f] = append(out.hits[f], secretHit{rule: rule})
			}
		}
		whole := sync.OnceValue(func() string { return wholeText(ctx, f, src) })
		for _, h := range f.Hunks {
			for _, side := range []domain.Side{domain.Right, domain.Left} {
				if err := s.scanHunk(ctx, out, f, textOf(h, side), whole); err != nil {
					return nil, err
				}
			}
		}
		if err := s.scanBinary(ctx, out, f, src); err != nil {
			return nil, err
		}
	}
	out.redactor.build()
	return out, out.markOld(ctx, set, src)
}

// maxWholeText is the most bytes of a file that is read to determine its kind.
const maxWholeText = 1 << 20

// wholeText reads a file at the head, "" if it cannot be read within bounds.
func wholeText(ctx context.Context, f *diff.File, src Source) string {
	b, err := head(ctx, src, f.Path)
	if err != nil || len(b) > maxWholeText {
		return ""
	}
	return string(b)
}

func (s *Scanner) scanHunk(ctx context.Context, out *secrets, f *diff.File, t sideText, whole func() string) error {
	if t.side == domain.Left && t.changed(1, len(t.numbers)) == 0 {
		return nil
	}
	found, err := s.scan(ctx, f.Path, t.text)
	if err != nil || len(found) == 0 {
		return err
	}
	for _, secret := range found {
		if !out.redactor.add(secret) {
			out.withheld[f.Path] = WhySecrets
		}
	}
	if t.side == domain.Left {
		return nil
	}
	if out.judged += len(found); out.judged > maxJudged {
		out.unjudged[f] += len(found)
		return nil
	}
	if found, err = scan(ctx, s.fair, f.Path, t.text); err != nil {
		return err
	}
	for _, secret := range found {
		if t.changed(secret.First, secret.Last) == 0 || secret.RuleID == passwordRule && s.isIgnored(f.Path) {
			continue
		}
		g := candidate{Secret: secret, file: f, named: s.isNamed(secret), text: t.text, whole: whole}.grade()
		if g != isPublic {
			out.addHit(f, secretHit{rule: secret.RuleID, first: t.numbers[secret.First-1], last: t.numbers[secret.Last-1],
				doubtful: g == doubtful, values: []string{secret.value}})
		}
	}
	return nil
}

// sideText is one side of a hunk.
type sideText struct {
	side    domain.Side
	text    string
	numbers []int // numbers of the lines in the file
	changes []int // number of added or removed lines before each line, and in total
}

// textOf joins the lines of one side of a hunk.
func textOf(h *diff.Hunk, side domain.Side) sideText {
	t := sideText{side: side, changes: []int{0}}
	var b strings.Builder
	for _, l := range h.Lines {
		n := l.New
		if side == domain.Left {
			n = l.Old
		}
		if n == 0 {
			continue
		}
		b.WriteString(l.Text)
		b.WriteByte('\n')
		t.numbers = append(t.numbers, n)
		change := t.changes[len(t.changes)-1]
		if l.Op != diff.Context {
			change++
		}
		t.changes = append(t.changes, change)
	}
	t.text = b.String()
	return t
}

// changed counts the lines from first to last, counted from 1 in the text, that were added or removed.
func (t sideText) changed(first, last int) int { return t.changes[last] - t.changes[first-1] }

// severity returns the severity with which a hit is reported.
func (h secretHit) severity() domain.Severity {
	switch {
	case h.doubtful && h.rule != genericRule:
		return domain.Low
	case h.rule == genericRule, isOurs(h.rule):
		return domain.High
	}
	return domain.Critical
}

// sightings returns the findings about hits of a file.
func (s *secrets) sightings(f *diff.File, hits []secretHit) []sighting {
	var out []sighting
	for _, h := range hits {
		severity := h.severity()
		out = append(out, sighting{secret: !h.doubtful, severity: severity, line: h.first, finding: func() domain.Finding {
			out := secretFinding(f, h, severity, s.redactor)
			out.SecretDigests = h.digests(s.keys)
			return out
		}})
	}
	return out
}

func secretFinding(f *diff.File, h secretHit, severity domain.Severity, r *Redactor) domain.Finding {
	name := strings.ReplaceAll(h.rule, "-", " ")
	anchor := Place(f, h.first, h.last)
	anchor.Quote = r.Text(anchor.Quote)
	title, says := wording.TitleSecret, wording.SaySecret
	switch {
	case h.doubtful && h.isOld:
		title, says = wording.TitleMaybeSecret, wording.SayMaybeSecretOld
	case h.doubtful:
		title, says = wording.TitleMaybeSecret, wording.SayMaybeSecret
	case h.isOld:
		says = wording.SaySecretOld
	}
	family := "gitleaks/"
	if isOurs(h.rule) {
		family = "assay/"
	}
	return domain.Finding{
		Origin: domain.OriginSecret, RuleID: family + h.rule, Category: domain.CategorySecret, Severity: severity,
		Title: wording.English(title, name), Explanation: wording.English(says, name), Anchor: anchor, Doubtful: h.doubtful,
	}
}
