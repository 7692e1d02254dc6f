package httpapi

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/upload"
)

// sastUploads is the path at which pipelines upload results of static analysers.
const sastUploads = repo + "/sast-runs"

// sastMedia is the media type of SARIF.
const sastMedia = "application/sarif+json"

// Analyser is a static analyser that ran.
type Analyser struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	DurationMS int64  `json:"durationMs" doc:"0 if unknown"`
	Results    int64  `json:"results" doc:"Reported problems, before they were compared with the change"`
	New        int64  `json:"new" doc:"Findings on lines that the change adds"`
	Old        int64  `json:"old" doc:"Problems on other lines"`
	Suppressed int64  `json:"suppressed" doc:"Problems that files or comments suppress"`
	LeftOut    int64  `json:"leftOut" doc:"Problems that a review could not use; see leftOut of the run"`
	Failed     bool   `json:"failed" doc:"The analyser did not run or did not finish"`
	Stays      int64  `json:"stays" doc:"Open findings of earlier reviews, if the analyser has not reported on this commit. They stay open, because nothing shows that they are repaired. 0 for analysers that have reported"`
}

// AnalysisNote names results, files or runs that a review could not use, or an analyser that did not finish.
type AnalysisNote struct {
	Analyser string   `json:"analyser"`
	Why      string   `json:"why" doc:"The reason, in a few words"`
	Unit     string   `json:"unit" enum:"results,files,runs,analysers" doc:"Unit of the count; analysers: it did not finish"`
	Count    int64    `json:"count"`
	Examples []string `json:"examples,omitempty" doc:"At most five rules with their paths, files or messages. Text from outside"`
}

// SastRun records the static analysers that ran on a commit, and what a review found in their results.
type SastRun struct {
	ID          string         `json:"id"`
	RunID       string         `json:"runId,omitempty" doc:"The review that used it last; absent before the first one"`
	HeadSHA     string         `json:"headSha"`
	Source      string         `json:"source" enum:"review,upload" doc:"The checks and analysers of a review, or a document of a pipeline"`
	State       string         `json:"state" enum:"waiting,running,completed,failed" doc:"An upload waits for a review of its commit"`
	Analysers   []Analyser     `json:"analysers"`
	NewFindings int64          `json:"newFindings" doc:"In this diff"`
	OldFindings int64          `json:"oldFindings" doc:"There before"`
	LeftOut     []AnalysisNote `json:"leftOut" doc:"What the review could not use, by analyser and reason"`
	Reason      string         `json:"reason"`
	Note        string         `json:"note,omitempty" doc:"What becomes of an upload, in a sentence"`
	CreatedAt   time.Time      `json:"createdAt"`
	FinishedAt  *time.Time     `json:"finishedAt,omitempty"`
}

// analysisNotes returns the stored notes. Those of earlier versions do not have a unit and count as results.
func analysisNotes(stored string) []AnalysisNote {
	out := storedList[AnalysisNote](stored)
	for i := range out {
		out[i].Unit = cmp.Or(out[i].Unit, sast.UnitResults)
	}
	return out
}

func sastRun(v store.SastRun) SastRun {
	return SastRun{ID: v.ID, RunID: v.Run, HeadSHA: v.HeadSHA, Source: v.Source, State: v.State, Analysers: storedList[Analyser](v.Analysers),
		NewFindings: v.NewFindings, OldFindings: v.OldFindings, LeftOut: analysisNotes(v.LeftOut), Reason: v.Reason,
		CreatedAt: store.Time(v.CreatedUS), FinishedAt: store.TimeOrNil(v.FinishedUS)}
}

// SastFilter selects static-analysis runs.
type SastFilter struct {
	RunID  string `query:"runId" maxLength:"100" doc:"Only those that this review used, without pages and other filters"`
	Source string `query:"source" enum:"review,upload" doc:"Only those of reviews, or uploaded documents"`
	State  string `query:"state" enum:"waiting,running,completed,failed" doc:"Only those in this state"`
}

func (s *server) sastRuns(ctx context.Context, in *struct {
	InRepository
	Page
	SastFilter
}) (*Listed[SastRun], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	if in.RunID != "" {
		rows, err := s.Store.SastRunsOf(ctx, c.tenant, c.repository.ID, in.RunID)
		if err != nil {
			return nil, err
		}
		return paged(rows, len(rows), sastRun), nil
	}
	rows, err := s.Store.SastRuns(ctx, c.tenant, c.repository.ID, store.SastFilter{Source: in.Source, State: in.State}, before, limit)
	if err != nil {
		return nil, err
	}
	return paged(rows, in.Limit, sastRun), nil
}

// InSastRun names a static-analysis run in a path.
type InSastRun struct {
	InRepository
	ID string `path:"sastRunId"`
}

func (s *server) sastRun(ctx context.Context, in *InSastRun) (*Read[SastRun], error) {
	return find(ctx, in.ID, s.Store.SastRun, sastRun)
}

// sastDocument sends the SARIF of a run as a file.
func (s *server) sastDocument(ctx context.Context, in *InSastRun) (*Exported, error) {
	c := callerFrom(ctx)
	row, err := s.Store.SastRun(ctx, c.tenant, c.repository.ID, in.ID)
	if err != nil {
		return nil, err
	}
	plain, err := s.Upload.Documents.Open(ctx, c.tenant, c.repository.ID, in.ID)
	if errs.Is(err, errs.NotFound) {
		err = errs.New(errs.NotFound, "not_kept", "The document of this run is not stored any more: documents are deleted after %d days.",
			upload.KeepDays)
	}
	if err != nil {
		return nil, err
	}
	return &Exported{ContentType: sastMedia, Disposition: `attachment; filename="` + row.ID + `.sarif"`, Body: func(c huma.Context) {
		if _, err := io.Copy(c.BodyWriter(), plain); err != nil {
			panic(http.ErrAbortHandler) // an aborted connection shows the client that the file is incomplete
		}
	}}, nil
}

func sastDocumentAnswers() map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: "SARIF 2.1.0", Content: map[string]*huma.MediaType{
		sastMedia: {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}}}}
}

// SastUploaded is the answer to an upload: 201 for a new document, 200 for one that the commit has already.
type SastUploaded struct {
	Status   int
	Location string `header:"Location" doc:"Path of the static-analysis run"`
	Body     SastRun
}

func (s *server) uploadSast(ctx context.Context, in *struct {
	InRepository
	HeadSHA string `query:"headSha" required:"true" maxLength:"64" doc:"The commit that was analysed, as 40 or 64 hexadecimal digits"`
	Tool    string `query:"tool" maxLength:"80" doc:"Name of the analyser, in place of the one in the document"`
	RawBody []byte `contentType:"application/sarif+json"`
}) (*SastUploaded, error) {
	c := callerFrom(ctx)
	row, made, err := s.Upload.Accept(ctx, c.tenant, upload.Upload{Repository: c.repository.ID, HeadSHA: in.HeadSHA, Tool: in.Tool,
		User: c.user.ID, Body: in.RawBody})
	if err != nil {
		return nil, err
	}
	out := &SastUploaded{Status: http.StatusOK, Location: in.path() + "/sast-runs/" + row.ID, Body: sastRun(row)}
	if made {
		out.Status = http.StatusCreated
	}
	out.Body.Note, err = s.Upload.Fate(ctx, c.tenant, row)
	return out, err
}

// takesDocument marks the handler of an upload: it may be larger and slower than other bodies, and huma does not read it as JSON.
func takesDocument(h handler) handler { return documentHandler{h} }

type documentHandler struct{ handler }

func (d documentHandler) mount(s *server, api huma.API, op huma.Operation) {
	op.SkipValidateBody, op.MaxBodyBytes, op.BodyReadTimeout = true, upload.MaxBytes+1, upload.Time
	if s != nil && s.Upload != nil { // the description of the interface is made without features
		op.BodyReadTimeout = s.Upload.Arrive
	}
	d.handler.mount(s, api, op)
	op.Responses["201"] = op.Responses["200"]
}

func (r Route) takesDocument() bool {
	_, is := r.handler.(documentHandler)
	return is
}

// checkTokenScope refuses a token at a route that its scopes do not open. A token for uploads opens nothing else.
func checkTokenScope(rt Route, c *caller) error {
	scopes := tenant.Scopes(c.token)
	uploads := 0
	for _, scope := range scopes {
		if scope == tenant.ScopeUpload {
			uploads++
		}
	}
	switch {
	case rt.takesDocument() && uploads == 0:
		return errs.New(errs.Forbidden, "scope", "The token lacks the scope %s. Create a token with it.", tenant.ScopeUpload)
	case !rt.takesDocument() && uploads == len(scopes):
		return errs.New(errs.Forbidden, "scope", "The token's scope %s opens uploads alone.", tenant.ScopeUpload)
	}
	return nil
}
