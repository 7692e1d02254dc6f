// Package upload takes the results of static analysers that a pipeline uploads for a commit, as SARIF 2.1.0.
//
// It reads the document within bounds, stores it for the next review of the commit, and records who uploaded it. The
// results become findings in package sast, when a review reads them.
package upload

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/sastdocs"
	"github.com/assay-dev/assay/internal/store"
)

// KeepDays is how many days documents are stored, and uploads that no review uses (design choice).
const KeepDays = 30

// Time is the time limit for a document to arrive.
const Time = time.Minute

// MaxBytes is the maximum size of a document, packed and unpacked.
const MaxBytes = sastdocs.MaxBytes

// atOnce bounds the documents that a process reads at the same time (design choice). Each takes up to 200 MiB of memory.
const atOnce = 2

// SearchTime is the time limit for reading a document and searching it for secrets. 31 MiB take 6 s of processor time
// (docs/performance/hostile.md).
const SearchTime = 45 * time.Second

// Config holds the parts of the service; all are required but the times.
type Config struct {
	Store     *store.Store
	Documents sastdocs.Documents
	Audit     *audit.Log
	Scan      sarif.Scan
	Wait      time.Duration // for a place; 20 s if 0
	Arrive    time.Duration // for a document to arrive; [Time] if 0
	Search    time.Duration // for reading a document and searching it for secrets; [SearchTime] if 0
}

// Service takes uploads. It is safe for concurrent use.
type Service struct {
	Config
	places   chan struct{} // for reading
	underWay places
}

// New returns a service.
func New(c Config) *Service {
	c.Wait, c.Arrive, c.Search = cmp.Or(c.Wait, waitPlaces), cmp.Or(c.Arrive, Time), cmp.Or(c.Search, SearchTime)
	return &Service{Config: c, places: make(chan struct{}, atOnce),
		underWay: places{all: make(chan struct{}, underWay), of: map[string]*tenantPlaces{}}}
}

// Upload is a document of a pipeline.
type Upload struct {
	Repository string // its id
	HeadSHA    string // the commit that was analysed
	Tool       string // name of the analyser, in place of the one in the document; "" for that one
	User       string // id of the person whose token the pipeline has
	Body       []byte // SARIF 2.1.0, plain or packed with gzip
}

// Analyser is an entry of [store.SastRun.Analysers].
type Analyser struct {
	Name       string `json:"name"`
	Version    string `json:"version,omitempty"`
	DurationMS int64  `json:"durationMs"`
	Results    int    `json:"results"`
}

// Accept stores a document. made is false if the commit has the same document under the same name. Errors: Invalid, TooLarge,
// Conflict (too many documents of the commit), Unavailable (too many uploads at once).
func (s *Service) Accept(ctx context.Context, t domain.Tenant, in Upload) (out store.SastRun, made bool, err error) {
	var c field.Check
	c.That(isCommit(in.HeadSHA), "query/headSha", "must be the full id of a commit: 40 or 64 hexadecimal digits in lower case")
	c.That(len(in.Tool) <= 80 && field.Plain(in.Tool), "query/tool", "must have 80 characters at most, on one line")
	if err := c.Err(); err != nil {
		return out, false, err
	}
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return out, false, busy()
	}
	within, cancel := context.WithTimeout(ctx, s.Search)
	defer cancel()
	plain, err := unpack(in.Body)
	if err != nil {
		return out, false, err
	}
	doc, err := sarif.Read(within, bytes.NewReader(plain), sarif.Limits{Bytes: MaxBytes})
	if err != nil {
		return out, false, refusal(err)
	}
	clean, err := sarif.Redact(within, plain, sarif.Limits{Bytes: MaxBytes}, s.Scan)
	if err != nil {
		return out, false, refusal(err)
	}
	row := store.SastRun{Record: store.Record{Repository: in.Repository}, HeadSHA: in.HeadSHA, Digest: digest(plain, in.Tool),
		Analysers: store.JSON(analysers(in.Tool, doc)), LeftOut: store.JSON(broken(in.Tool, doc)), UploadedBy: in.User}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if out, made, err = s.Documents.AddUpload(ctx, t, row, clean); err != nil || !made {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "sast-run.upload", Target: audit.Target{Kind: "sast-run", ID: out.ID, Name: in.HeadSHA},
			After: uploaded{in.Repository, in.HeadSHA, out.Digest, int64(len(plain))}}, nil
	})
	return out, made, err
}

// digest returns the SHA-256 of a document in hexadecimal digits. A name in place of the document's own counts as part of it.
func digest(plain []byte, tool string) string {
	sum := sha256.New()
	sum.Write(plain)
	if tool != "" {
		sum.Write([]byte("\x00" + tool))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// uploaded is what the audit log records of an upload.
type uploaded struct {
	Repository string `json:"repositoryId" audit:"track"`
	HeadSHA    string `json:"headSha" audit:"track"`
	Digest     string `json:"digest" audit:"track"`
	Bytes      int64  `json:"bytes" audit:"track"`
}

func isCommit(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// unpack returns the plain bytes of a document.
func unpack(body []byte) ([]byte, error) {
	if !sarif.IsPacked(body) {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, refusal(sarif.ErrInvalid)
	}
	plain, err := io.ReadAll(io.LimitReader(z, MaxBytes+1))
	switch {
	case err != nil:
		return nil, errs.New(errs.Invalid, "invalid_sarif", "The gzip stream of the document is damaged. Pack the document again.")
	case len(plain) > MaxBytes:
		return nil, refusal(sarif.ErrTooLarge)
	case sarif.IsPacked(plain):
		return nil, refusal(sarif.ErrPackedTwice)
	}
	return plain, nil
}

// refusal returns the error for a document that cannot be read.
func refusal(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errs.Wrap(err, errs.TooLarge, "too_slow", "The search for secrets took longer than %d seconds. Upload one document for each "+
			"tool, or fewer results.", int(SearchTime/time.Second))
	case errors.Is(err, sarif.ErrTooLarge):
		return errs.Wrap(err, errs.TooLarge, "too_large", "The document is larger or nested more deeply than allowed: at most %d MiB "+
			"unpacked, and %d nested values. Upload one document for each tool.", MaxBytes>>20, sarif.DefaultLimits().Depth)
	case errors.Is(err, sarif.ErrInvalid):
		return errs.Wrap(err, errs.Invalid, "invalid_sarif", "The body cannot be read (%s). Let the tool write SARIF 2.1.0.", err.Error())
	}
	return err
}

// analysers lists the tools of a document.
func analysers(tool string, doc sarif.Document) []Analyser {
	out := []Analyser{}
	for _, r := range doc.Runs {
		name := tool
		if name == "" {
			name = r.Tool
		}
		out = append(out, Analyser{Name: oneLine(name, 80), Version: oneLine(r.Version, 40),
			DurationMS: r.Duration.Milliseconds(), Results: len(r.Results) + r.CutResults})
	}
	return out
}

// note is an entry of [store.SastRun.LeftOut].
type note struct {
	Analyser string   `json:"analyser"`
	Why      string   `json:"why"`
	Unit     string   `json:"unit"`
	Count    int      `json:"count"`
	Examples []string `json:"examples"`
}

// maxExamples is the most runs that a note names.
const maxExamples = 5

// broken names the runs of a document that cannot be read.
func broken(tool string, doc sarif.Document) []note {
	if len(doc.Broken) == 0 {
		return []note{}
	}
	n := note{Analyser: oneLine(cmp.Or(tool, "SARIF"), 80), Why: sarif.BrokenRun, Unit: sarif.UnitRuns, Count: len(doc.Broken)}
	for _, at := range doc.Broken[:min(len(doc.Broken), maxExamples)] {
		n.Examples = append(n.Examples, fmt.Sprintf("runs[%d]", at))
	}
	return []note{n}
}

// oneLine returns text from outside in one visible line.
func oneLine(s string, n int) string { return clip.Runes(clip.Line(clip.Visible(s)), n, "…") }

// Fate returns a sentence about the review that uses an uploaded document.
func (s *Service) Fate(ctx context.Context, t domain.Tenant, row store.SastRun) (string, error) {
	if row.Run != "" {
		return "A review has used this document.", nil
	}
	runs, err := s.Store.RunsOfHead(ctx, t, row.Repository, row.HeadSHA)
	if err != nil {
		return "", err
	}
	for _, r := range runs {
		if r.State != domain.RunQueued {
			return "A review of this commit has begun or ended without this document. The next review of the commit uses it: start one, " +
				"or let reviews wait for uploads.", nil
		}
	}
	return "The next review of this commit uses this document.", nil
}
