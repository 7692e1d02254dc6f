package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
)

// The templates of resources, and their kinds in the log.
const (
	reviewURI = "assay://repositories/{repository}/reviews/{run}"
	rulesURI  = "assay://repositories/{repository}/rules"

	reviewKind = "review"
	rulesKind  = "rules"
)

const markdownType = "text/markdown"

// resources adds the resources whose tools, which return the same content, are available.
func (v *visit) resources(s *mcp.Server) {
	for _, r := range []struct {
		tool, uri, name, title, about string
		read                          func(ctx context.Context, ids []string) (string, error)
	}{
		{"get_review", reviewURI, reviewKind, "A review", "A review of a pull request with its findings, as Markdown", v.readReview},
		{"list_rules", rulesURI, rulesKind, "A rule set", "The rules that reviews of a repository apply, as Markdown", v.readRules},
	} {
		if t, there := v.tool(r.tool); !there || v.lacks(t) != "" {
			continue
		}
		s.AddResourceTemplate(&mcp.ResourceTemplate{Name: r.name, Title: r.title, Description: r.about, URITemplate: r.uri,
			MIMEType: markdownType},
			func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				text, err := r.read(ctx, idsOf(req.Params.URI))
				if errs.Is(err, errs.NotFound) {
					callRecordIn(ctx).outcome = errs.NotFound.String()
					return nil, mcp.ResourceNotFoundError(r.uri) // repeats nothing: hidden and missing resources look the same
				}
				if err != nil {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: v.explainError(ctx, err).Error()}
				}
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: markdownType,
					Text: fenced(text)}}}, nil
			})
	}
}

// idsOf returns the ids in a resource's address.
func idsOf(uri string) []string {
	all := strings.Split(strings.TrimPrefix(uri, "assay://repositories/"), "/")
	if len(all) < 3 {
		return all[:1]
	}
	return []string{all[0], all[2]}
}

// resourceKind returns the kind of a resource for the log.
func resourceKind(uri string) string {
	rest, ours := strings.CutPrefix(uri, "assay://repositories/")
	switch all := strings.Split(rest, "/"); {
	case ours && len(all) == 3 && all[1] == "reviews":
		return reviewKind
	case ours && len(all) == 2 && all[1] == "rules":
		return rulesKind
	}
	return "other"
}

func (v *visit) readReview(ctx context.Context, ids []string) (string, error) {
	if len(ids) != 2 {
		return "", errs.Absent()
	}
	at, err := v.repository(ctx, ids[0], perm.RepoView, false)
	if err != nil {
		return "", err
	}
	run, err := v.run(ctx, at, ids[1])
	if err != nil {
		return "", err
	}
	out, err := v.review(ctx, at, run)
	return out.markdown(), err
}

func (v *visit) readRules(ctx context.Context, ids []string) (string, error) {
	at, err := v.repository(ctx, ids[0], perm.RepoView, false)
	if err != nil {
		return "", err
	}
	all, err := v.effective(ctx, at, "")
	return "# Rules\n\n" + rulesMarkdown(all), err
}
