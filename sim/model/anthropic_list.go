package model

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// listed writes a page of models, newest first. limit is 1 to 1000, and 20 by default.
func (d anthropicDialect) listed(r *http.Request, ids []string, page int, now time.Time) *answer {
	query, limit := r.URL.Query(), 20
	if raw := query.Get("limit"); raw != "" {
		n, err := strconv.Atoi(raw)
		if limit = n; err != nil || n < 1 || n > 1000 {
			return d.failed(invalid("", "limit: Input should be between 1 and 1000"))
		}
	}
	if name := unknownQuery(query, "limit", "after_id", "before_id", "lifecycle"); name != "" {
		return d.failed(invalid("", name+": Extra inputs are not permitted"))
	}
	if page > 0 {
		limit = min(limit, page)
	}
	from := slices.Index(ids, query.Get("after_id")) + 1
	to := min(from+limit, len(ids))
	data := []obj{}
	for _, id := range ids[from:to] {
		item := obj{"type": "model", "id": id, "display_name": "Model " + id, "created_at": now.UTC().Format(time.RFC3339),
			"max_input_tokens": 200000, "max_tokens": 64000, "lifecycle": "active"}
		if d.efforts != nil {
			item["capabilities"] = d.capabilities()
		}
		data = append(data, item)
	}
	out := obj{"data": data, "has_more": to < len(ids), "first_id": nil, "last_id": nil}
	if len(data) > 0 {
		out["first_id"], out["last_id"] = data[0]["id"], data[len(data)-1]["id"]
	}
	return jsonAnswer(http.StatusOK, out)
}

// unknownQuery returns a parameter of a query that is not among the known ones.
func unknownQuery(query url.Values, known ...string) string {
	for name := range query {
		if !slices.Contains(known, name) {
			return name
		}
	}
	return ""
}

// capabilities returns ModelCapabilities, reduced to efforts. "none" is thinking of type disabled; the
// provider has no "minimal".
func (d anthropicDialect) capabilities() obj {
	has := func(e string) obj { return obj{"supported": slices.Contains(d.efforts, e)} }
	effort := obj{"supported": slices.ContainsFunc(d.efforts, func(e string) bool { return e != "none" })}
	for _, e := range []string{"low", "medium", "high", "xhigh", "max"} {
		effort[e] = has(e)
	}
	yes := obj{"supported": true}
	return obj{"effort": effort, "structured_outputs": yes, "thinking": obj{"supported": true,
		"types": obj{"adaptive": yes, "disabled": has("none"), "enabled": obj{"supported": false}}}}
}
