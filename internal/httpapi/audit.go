package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// auditTime is the time limit for reading a whole log (design choice: a million entries take about a
// minute).
const auditTime = 15 * time.Minute

// AuditFilter holds the parameters of a list of audit entries.
type AuditFilter struct {
	Page
	Actor      string    `query:"actor" maxLength:"100" doc:"Id of a person"`
	Action     string    `query:"action" maxLength:"100" doc:"What was done: noun.verb" example:"rule.create"`
	TargetKind string    `query:"targetKind" maxLength:"100" doc:"Kind of the object of the act"`
	TargetID   string    `query:"targetId" maxLength:"200" doc:"Id of the object of the act"`
	Result     string    `query:"result" enum:"ok,refused,failed"`
	From       time.Time `query:"from" doc:"Not before this time"`
	To         time.Time `query:"to" doc:"Before this time"`
}

// AuditListed wraps a list of audit entries, newest first.
type AuditListed = Listed[audit.LogEntry]

func (s *server) auditList(ctx context.Context, t domain.Tenant, in AuditFilter) (*AuditListed, error) {
	f := store.AuditFilter{Actor: in.Actor, Action: in.Action, TargetKind: in.TargetKind, TargetID: in.TargetID, Result: in.Result,
		Limit: in.Limit + 1}
	if !in.From.IsZero() {
		f.FromUS = in.From.UnixMicro()
	}
	if !in.To.IsZero() {
		if f.ToUS = in.To.UnixMicro(); f.ToUS <= f.FromUS {
			return nil, &errs.Error{Kind: errs.Invalid, Code: "invalid", Message: "Something in the request is not as the description says.",
				Fields: []errs.Field{{Pointer: "query/to", Message: "must be after from"}}}
		}
	}
	if in.Cursor != "" {
		parts, err := readCursor(in.Cursor, 1)
		if err != nil {
			return nil, err
		}
		seq, err := strconv.ParseInt(parts[0], 10, 64)
		if err != nil || seq < 0 {
			return nil, badCursor()
		}
		f.Before = &seq
	}
	rows, err := s.Audit.Entries(ctx, t, f)
	if err != nil {
		return nil, err
	}
	out := &AuditListed{Body: List[audit.LogEntry]{Items: rows}}
	if len(rows) > in.Limit {
		out.Body.Items = rows[:in.Limit]
		out.Body.NextCursor = writeCursor(strconv.FormatInt(rows[in.Limit-1].Seq, 10))
	}
	return out, nil
}

func (s *server) tenantAudit(ctx context.Context, in *struct {
	InTenant
	AuditFilter
}) (*AuditListed, error) {
	return s.auditList(ctx, callerFrom(ctx).tenant, in.AuditFilter)
}

func (s *server) instanceAudit(ctx context.Context, in *AuditFilter) (*AuditListed, error) {
	return s.auditList(ctx, domain.Tenant{}, *in)
}

// AuditFormat holds the parameters of an export.
type AuditFormat struct {
	Format string `query:"format" enum:"jsonl,csv" default:"jsonl" doc:"JSON Lines or CSV; both can be verified with: assay audit verify FILE"`
}

// Exported is a file that is written while it is read from the database.
type Exported struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        func(huma.Context)
}

func (s *server) auditExport(t domain.Tenant, in AuditFormat) *Exported {
	kind := "application/jsonl"
	if in.Format == audit.CSV {
		kind = "text/csv; charset=utf-8; header=present"
	}
	name := "audit-" + store.LogID(t) + "." + in.Format
	return &Exported{ContentType: kind, Disposition: `attachment; filename="` + name + `"`, Body: func(c huma.Context) {
		if err := s.Audit.Export(c.Context(), t, in.Format, c.BodyWriter()); err != nil {
			if !errors.Is(err, context.Canceled) {
				s.Logger.ErrorContext(c.Context(), "an export of the audit log broke off", "error", err)
			}
			panic(http.ErrAbortHandler) // an aborted connection shows the client that the file is incomplete
		}
	}}
}

func (s *server) tenantAuditExport(ctx context.Context, in *struct {
	InTenant
	AuditFormat
}) (*Exported, error) {
	return s.auditExport(callerFrom(ctx).tenant, in.AuditFormat), nil
}

func (s *server) instanceAuditExport(_ context.Context, in *AuditFormat) (*Exported, error) {
	return s.auditExport(domain.Tenant{}, *in), nil
}

func exportAnswers() map[string]*huma.Response {
	text := &huma.Schema{Type: "string"}
	return map[string]*huma.Response{"200": {Description: "The whole log with its signed head", Content: map[string]*huma.MediaType{
		"application/jsonl": {Schema: text}, "text/csv": {Schema: text}}}}
}

// AuditOutside holds the parameters of a verification.
type AuditOutside struct {
	Checkpoint string `query:"checkpoint" maxLength:"8000" doc:"A checkpoint that was kept outside, the text of the signed note in base 64: the log must contain what it vouches for"`
}

// AuditVerified wraps the result of a verification.
type AuditVerified struct{ Body audit.LogReport }

func (s *server) auditVerify(ctx context.Context, t domain.Tenant, in AuditOutside) (*AuditVerified, error) {
	older, err := base64.StdEncoding.DecodeString(in.Checkpoint)
	if err != nil {
		if older, err = base64.RawURLEncoding.DecodeString(in.Checkpoint); err != nil {
			return nil, &errs.Error{Kind: errs.Invalid, Code: "invalid", Message: "Something in the request is not as the description says.",
				Fields: []errs.Field{{Pointer: "query/checkpoint", Message: "must be base 64"}}}
		}
	}
	r, err := s.Audit.Verify(ctx, t, string(older))
	if err != nil {
		return nil, err
	}
	if !r.OK {
		s.Logger.ErrorContext(ctx, "the audit log is not the one that was written", "log", r.Log, "findings", len(r.Findings), "first",
			r.Findings[0].Kind)
	}
	return &AuditVerified{r}, nil
}

func (s *server) tenantAuditVerify(ctx context.Context, in *struct {
	InTenant
	AuditOutside
}) (*AuditVerified, error) {
	return s.auditVerify(ctx, callerFrom(ctx).tenant, in.AuditOutside)
}

func (s *server) instanceAuditVerify(ctx context.Context, in *AuditOutside) (*AuditVerified, error) {
	return s.auditVerify(ctx, domain.Tenant{}, *in)
}
