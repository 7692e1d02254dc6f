package model

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// listed writes a page of inference profiles, whose ids begin with a region, or the models that can be called
// by their own id.
func (d bedrockDialect) listed(r *http.Request, ids []string, page int, _ time.Time) *answer {
	query := r.URL.Query()
	if strings.HasSuffix(r.URL.Path, "/foundation-models") {
		if name := unknownQuery(query, "byCustomizationType", "byInferenceType", "byOutputModality", "byProvider"); name != "" {
			return d.failed(validation("Unknown parameter " + name))
		}
		out := []obj{}
		for _, id := range ids {
			modality := "TEXT"
			if strings.Contains(id, "embed") {
				modality = "EMBEDDING"
			}
			if want := query.Get("byOutputModality"); !isProfile(id) && (want == "" || want == modality) {
				out = append(out, obj{"modelId": id, "modelArn": "arn:aws:bedrock:eu-central-1::foundation-model/" + id, "modelName": "Model " +
					id, "providerName": "Sim", "inputModalities": []string{"TEXT"},
					"outputModalities": []string{modality}, "inferenceTypesSupported": []string{"ON_DEMAND"},
					"modelLifecycle": obj{"status": "ACTIVE"}, "responseStreamingSupported": true})
			}
		}
		return jsonAnswer(http.StatusOK, obj{"modelSummaries": out})
	}
	if name := unknownQuery(query, "type", "maxResults", "nextToken"); name != "" {
		return d.failed(validation("Unknown parameter " + name))
	}
	limit := 1000
	if raw := query.Get("maxResults"); raw != "" {
		n, err := strconv.Atoi(raw)
		if limit = n; err != nil || n < 1 || n > 1000 {
			return d.failed(validation("Value at 'maxResults' failed to satisfy constraint: Member must be between 1 and 1000"))
		}
	}
	if page > 0 {
		limit = min(limit, page)
	}
	var profiles []string
	for _, id := range ids {
		if isProfile(id) {
			profiles = append(profiles, id)
		}
	}
	from := 0
	if token := query.Get("nextToken"); token != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(token, "page="))
		if from = n; err != nil || n < 0 || n > len(profiles) {
			return d.failed(validation("The nextToken is not valid."))
		}
	}
	to := min(from+limit, len(profiles))
	out := []obj{}
	for _, id := range profiles[from:to] {
		out = append(out, obj{"inferenceProfileId": id, "inferenceProfileArn": "arn:aws:bedrock:eu-central-1:1:inference-profile/" + id,
			"inferenceProfileName": "Model " + id,
			"models":               []obj{}, "status": "ACTIVE", "type": "SYSTEM_DEFINED"})
	}
	answer := obj{"inferenceProfileSummaries": out}
	if to < len(profiles) {
		answer["nextToken"] = "page=" + strconv.Itoa(to) // needs escaping in a query
	}
	return jsonAnswer(http.StatusOK, answer)
}

func isProfile(id string) bool {
	area, _, _ := strings.Cut(id, ".")
	return slices.Contains([]string{"eu", "us", "apac", "global", "jp", "au", "us-gov"}, area)
}
