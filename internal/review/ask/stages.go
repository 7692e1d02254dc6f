package ask

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
)

// Stored returns the result that an earlier attempt of this run saved under stage and key, or runs work and saves its
// result. Failing to load or save is logged only. Key is encoded as JSON.
func Stored[T any](ctx context.Context, s *Session, stage string, key any, work func() (T, error)) (T, error) {
	hash := inputHash(s.deps.PromptHash, stage, key)
	raw, found, err := s.deps.Stages.Load(ctx, stage, hash)
	if err != nil {
		s.deps.Logger.WarnContext(ctx, "load stage result", slog.String("stage", stage), slog.Any("error", err))
	}
	if found {
		var out T
		if err := json.Unmarshal(raw, &out); err == nil {
			s.mu.Lock()
			s.cached++
			s.mu.Unlock()
			return out, nil
		}
	}
	out, err := work()
	if err != nil {
		return out, err
	}
	if raw, err = json.Marshal(out); err == nil {
		err = s.deps.Stages.Save(context.WithoutCancel(ctx), stage, hash, raw)
	}
	if err != nil {
		s.deps.Logger.WarnContext(ctx, "save stage result", slog.String("stage", stage), slog.Any("error", err))
	}
	return out, nil
}

// inputHash identifies the input of a stage. Delimiters and canaries are random and not part of it.
func inputHash(prompts, stage string, key any) string {
	h := sha256.New()
	h.Write([]byte(stage + "\x00" + prompts + "\x00"))
	if err := json.NewEncoder(h).Encode(key); err != nil {
		panic(err) // keys are structs of strings and numbers
	}
	return hex.EncodeToString(h.Sum(nil))
}
