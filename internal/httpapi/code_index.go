package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codeindex"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// CodeIndex is the state of the index of a repository's default branch.
type CodeIndex struct {
	State       string           `json:"state" enum:"absent,building,ready,stale,failed" doc:"stale: searches see an older commit"`
	Searchable  bool             `json:"searchable" doc:"Searches are answered, perhaps from an older commit"`
	Branch      string           `json:"branch"`
	CommitSHA   string           `json:"commitSha" doc:"The commit that searches see; empty before the first build"`
	Mode        string           `json:"mode" enum:"lexical,hybrid"`
	Files       int64            `json:"files"`
	Chunks      int64            `json:"chunks" doc:"Runs of lines that a search finds as one, mostly a definition each"`
	FilesDone   int64            `json:"filesDone" doc:"While it is built"`
	Bytes       int64            `json:"bytes" doc:"In the database. Contents that repositories share count for each"`
	LeftOut     []domain.LeftOut `json:"leftOut" doc:"Files that are not in the index, by reason"`
	VectorModel string           `json:"vectorModel,omitempty"`
	VectorSize  int64            `json:"vectorSize,omitempty"`
	Reason      string           `json:"reason,omitempty" doc:"Why the last build failed; absent if it succeeded"`
	BuiltAt     *time.Time       `json:"builtAt,omitempty"`
	CheckedAt   *time.Time       `json:"checkedAt,omitempty" doc:"When the branch was looked at last"`
}

func (s *server) codeIndex(ctx context.Context, _ *InRepository) (*Read[CodeIndex], error) {
	c := callerFrom(ctx)
	v, err := s.Store.CodeIndexOf(ctx, c.tenant, c.repository.ID, c.repository.DefaultBranch)
	if errs.Is(err, errs.NotFound) {
		return read(CodeIndex{State: store.IndexAbsent, Branch: c.repository.DefaultBranch, Mode: "lexical", LeftOut: []domain.LeftOut{}}, nil)
	}
	return read(CodeIndex{State: v.State, Searchable: v.Generation > 0, Branch: v.Branch, CommitSHA: v.CommitSHA, Mode: v.Mode, Files: v.Files,
		Chunks: v.Chunks, FilesDone: v.FilesDone, Bytes: v.Bytes, LeftOut: storedList[domain.LeftOut](v.LeftOut),
		VectorModel: v.VectorModel, VectorSize: v.VectorSize, Reason: v.Reason, BuiltAt: store.TimeOrNil(v.BuiltUS),
		CheckedAt: store.TimeOrNil(v.CheckedUS)}, err)
}

func (s *server) rebuildCodeIndex(ctx context.Context, in *InRepository) (*Begun, error) {
	c := callerFrom(ctx)
	row, err := s.CodeIndex.Rebuild(ctx, c.tenant, c.repository.ID)
	if err != nil {
		return nil, err
	}
	return &Begun{in.InTenant.path() + "/jobs/" + row.ID, jobShown(row)}, nil
}

// CodeSearchInput is the input of GET R/code-search.
type CodeSearchInput struct {
	InRepository
	Text  string `query:"q" required:"true" minLength:"2" maxLength:"200" doc:"Names, words and paths" example:"Cart.Total"`
	Paths string `query:"paths" maxLength:"200" doc:"A pattern of the files to search, such as src/**/*.ts" example:"internal/**"`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"20"`
}

// CodeSearchResults holds the places that a search found.
type CodeSearchResults struct {
	CommitSHA string      `json:"commitSha" doc:"The commit that was searched"`
	Branch    string      `json:"branch"`
	State     string      `json:"state" enum:"absent,building,ready,stale,failed" doc:"Of the index. stale: there is a newer commit"`
	Items     []FoundCode `json:"items" doc:"Best first, at most three of one file"`
	More      bool        `json:"more" doc:"There are more places"`
}

// FoundCode is a place that a search found. Its texts are text from outside, without the secrets found in them.
type FoundCode struct {
	Path   string      `json:"path" example:"shop/cart.go"`
	Line   int         `json:"line" doc:"To look at first" example:"12"`
	Symbol *CodeSymbol `json:"symbol,omitempty" doc:"The definition around the line"`
	Start  int         `json:"start" doc:"First line of the excerpt" example:"10"`
	Lines  []string    `json:"lines" doc:"The excerpt"`
	Why    []string    `json:"why" enum:"definition,use,path,words" doc:"What fits the query"`
}

// CodeSymbol is a definition.
type CodeSymbol struct {
	Name      string `json:"name" doc:"With its class or receiver" example:"Cart.Total"`
	Kind      string `json:"kind" enum:"func,method,type,value"`
	StartLine int    `json:"startLine" example:"12"`
	EndLine   int    `json:"endLine" example:"20"`
	Signature string `json:"signature" doc:"Its first line" example:"func (c *Cart) Total() int {"`
}

func (s *server) codeSearch(ctx context.Context, in *CodeSearchInput) (*Read[CodeSearchResults], error) {
	c := callerFrom(ctx)
	if err := s.limits.search.take(c.user.ID); err != nil {
		return nil, err
	}
	got, err := s.CodeIndex.Search(ctx, c.tenant, c.repository, codeindex.Wanted{Text: in.Text, Paths: in.Paths, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	out := CodeSearchResults{CommitSHA: got.Index.CommitSHA, Branch: got.Index.Branch, State: got.Index.State, Items: []FoundCode{},
		More: got.More}
	for _, f := range got.Items {
		v := FoundCode{Path: f.Path, Line: f.Line, Start: f.Start, Lines: f.Text, Why: []string{}}
		for _, w := range f.Why {
			v.Why = append(v.Why, string(w))
		}
		if f.Symbol != nil {
			v.Symbol = &CodeSymbol{Name: f.Symbol.Name, Kind: f.Symbol.Kind, StartLine: f.Symbol.Start, EndLine: f.Symbol.End,
				Signature: f.Symbol.Signature}
		}
		out.Items = append(out.Items, v)
	}
	return read(out, nil)
}
