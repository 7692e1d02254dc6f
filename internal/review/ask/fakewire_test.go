package ask

import "github.com/assay-dev/assay/internal/llm"

func reply(text string) llm.Response {
	return llm.Response{Text: text, Model: "test", Usage: llm.Usage{InputTokens: 10, OutputTokens: 5}}
}

func broken(text string) llm.Response {
	r := reply(text)
	r.StopReason = llm.StopLength
	return r
}

func prompt(r llm.Request) (system, user string) {
	for _, m := range r.Messages {
		user += m.Text
	}
	return r.System, user
}

func down() error {
	return &llm.Error{Class: llm.ClassRetryable, Status: 503, ProviderMessage: "overloaded"}
}

func final() error {
	return &llm.Error{Class: llm.ClassFinal, Status: 400, ProviderMessage: "no"}
}

func overflow() error {
	return &llm.Error{Class: llm.ClassContextLength, Status: 400, ProviderMessage: "prompt is too long"}
}
