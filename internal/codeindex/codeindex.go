// Package codeindex keeps an index of the code on each repository's default branch, and searches it.
//
// The index is lexical: words of identifiers and paths, definitions, and chunks of lines that are ranked by BM25. It is stored in
// the database. The contents of files are stored once per tenant. Each repository has its own words, so that a search reads
// nothing of another repository. Reading the host and showing results do not live here.
package codeindex

import (
	"context"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
)

// Opener opens the code of repositories.
type Opener interface {
	// Newest opens a repository at the newest commit of its default branch, or at the commit at if that is not
	// "", and returns the commit. The caller must close the store.
	Newest(ctx context.Context, r store.Repository, at string) (code *snapshot.Repo, commit string, err error)
}

// Code opens the code of repositories for the index.
type Code interface {
	Opener
	// WithBranch returns a repository with the name of its default branch, and asks the host if the name is not known. NotFound: the
	// host knows no default branch.
	WithBranch(ctx context.Context, r store.Repository) (store.Repository, error)
}

// Config holds the parts of the service.
type Config struct {
	Store *store.Store
	Audit *audit.Log
	Code  Code
	Scan  func(text string) string // replaces secrets in lines that are shown
	// Turn is how long a job works before it gives its slot back and continues later; a minute if 0.
	Turn   time.Duration
	Logger *slog.Logger
}

// Service builds and searches indexes. It is safe for concurrent use.
type Service struct {
	Config
	kept *layouts
}

// New returns a service.
func New(c Config) *Service {
	if c.Turn <= 0 {
		c.Turn = time.Minute
	}
	return &Service{c, newLayouts()}
}

// Kinds returns the job handlers, for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{domain.KindIndex: {Run: s.Index, Dead: s.dead, Yields: true, Share: indexShare}}
}

// indexShare is how many indexing jobs of one tenant run at once in a lane of two or more slots (design choice): the other slots
// stay free for synchronizations.
const indexShare = 1

// Bounds of an index (design choices). Files beyond them are left out and counted.
const (
	maxFiles      = 100_000   // files of a branch that are looked at
	maxIndexed    = 60_000    // files that are read
	maxFileBytes  = 512 << 10 // bytes of a file
	maxTextBytes  = 512 << 20 // bytes of all files that are read
	maxPathBytes  = 1000      // bytes of a path: a database index holds it
	maxLineBytes  = 4096      // bytes of a line whose words are indexed
	maxChunks     = 2000      // chunks of a file
	maxWords      = 4000      // different words of a chunk
	chunkLines    = 60        // lines of a chunk, unless a definition ends it before
	preambleLines = 10        // lines before the first definition that do not become a chunk of their own
	batchFiles    = 500       // files that become one segment
	batchBytes    = 8 << 20   // bytes of them
	smallSegment  = 250       // files below which a segment is merged with others
	maxSmall      = 8         // small segments of an index
)
