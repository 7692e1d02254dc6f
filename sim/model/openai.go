package model

import (
	"net/http"
	"time"
)

// openAI is the common part of OpenAI's dialects. With azure the key is in another header, and some errors
// have another text (learn.microsoft.com, Azure OpenAI REST reference).
type openAI struct{ azure bool }

func (d openAI) key(r *http.Request) (string, *apiError) {
	if d.azure {
		return r.Header.Get("Api-Key"), nil
	}
	return bearer(r), nil
}

func (openAI) requestID() string { return "X-Request-Id" }

func (d openAI) trouble(kind string, q *request, _ []string) *apiError {
	switch kind {
	case noKey, Unauthorized:
		switch {
		case d.azure:
			return &apiError{http.StatusUnauthorized, "Access denied due to invalid subscription key or wrong API endpoint. Make sure to " +
				"provide a valid key for an active subscription and use a correct regional API endpoint for your resource.", "", "", "401"}
		case kind == noKey:
			return &apiError{http.StatusUnauthorized, "You didn't provide an API key. You need to provide your API key in an " +
				"Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).", "invalid_request_error", "", ""}
		}
		return &apiError{http.StatusUnauthorized, "Incorrect API key provided: sim-****. You can find your API key in the settings of " +
			"your account.", "invalid_request_error", "", "invalid_api_key"}
	case unknownModel:
		if d.azure {
			return &apiError{http.StatusNotFound, "The API deployment for this resource does not exist. If you created the deployment " +
				"within the last 5 minutes, please wait a moment and try again.", "", "", "DeploymentNotFound"}
		}
		return &apiError{http.StatusNotFound, "The model `" + q.Model + "` does not exist or you do not have access to it.",
			"invalid_request_error", "", "model_not_found"}
	case tooMuch:
		return &apiError{http.StatusRequestEntityTooLarge, "The request is too large.", "invalid_request_error", "", ""}
	case unknownPath:
		return &apiError{http.StatusNotFound, "Invalid URL", "invalid_request_error", "", ""}
	case RateLimit:
		return &apiError{http.StatusTooManyRequests, "Rate limit reached for this model on requests per min (RPM): Limit 3, Used 3, " +
			"Requested 1.", "requests", "", "rate_limit_exceeded"}
	case Quota:
		return &apiError{http.StatusTooManyRequests, "You exceeded your current quota, please check your plan and billing details.",
			"insufficient_quota", "", "insufficient_quota"}
	case Overloaded:
		return &apiError{http.StatusServiceUnavailable, "That model is currently overloaded with other requests.", "server_error", "",
			"server_is_overloaded"}
	}
	return d.status(http.StatusInternalServerError)
}

func (openAI) status(status int) *apiError {
	message, kind := "The server had an error while processing your request. Sorry about that!", "server_error"
	if status == http.StatusServiceUnavailable {
		message = "That model is currently overloaded with other requests."
	}
	if status < 500 {
		message, kind = http.StatusText(status), "invalid_request_error"
	}
	return &apiError{status, message, kind, "", ""}
}

// failed writes ErrorResponse.
func (openAI) failed(e *apiError) *answer {
	return jsonAnswer(e.status, obj{"error": obj{"message": e.message, "type": e.kind, "param": orNull(e.param), "code": orNull(e.code)}})
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// listed writes ListModelsResponse.
func (openAI) listed(_ *http.Request, ids []string, _ int, now time.Time) *answer {
	data := []obj{}
	for _, id := range ids {
		data = append(data, obj{"id": id, "object": "model", "created": now.Unix(), "owned_by": "sim"})
	}
	return jsonAnswer(http.StatusOK, obj{"object": "list", "data": data})
}

func unsupportedEffort(q *request, supported []string, param string) *apiError {
	return &apiError{http.StatusBadRequest, "Unsupported value: '" + q.effort() + "' is not supported with the '" + q.Model +
		"' model. Supported values are: " + quoted(supported) + ".",
		"invalid_request_error", param, "unsupported_value"}
}
