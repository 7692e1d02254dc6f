package wording

import "testing"

// The groups of keys and the files of stored texts, fix_ends.go and failed_jobs.go have the same keys.
func TestStoredTexts(t *testing.T) {
	t.Parallel()
	for tag, stored := range map[string]table{
		"en": join(&englishStored, &englishAnalysers, &englishFixEnds, &englishFailedJobs),
		"de": join(&germanStored, &germanAnalysers, &germanFixEnds, &germanFailedJobs),
		"fr": join(&frenchStored, &frenchAnalysers, &frenchFixEnds, &frenchFailedJobs),
		"es": join(&spanishStored, &spanishAnalysers, &spanishFixEnds, &spanishFailedJobs),
		"pt": join(&portugueseStored, &portugueseAnalysers, &portugueseFixEnds, &portugueseFailedJobs),
		"ja": join(&japaneseStored, &japaneseAnalysers, &japaneseFixEnds, &japaneseFailedJobs),
		"zh": join(&chineseStored, &chineseAnalysers, &chineseFixEnds, &chineseFailedJobs),
	} {
		for k := none + 1; k < keys; k++ {
			grouped := false
			for _, g := range groups {
				grouped = grouped || g.first <= k && k <= g.last
			}
			if has := stored[k].Other != ""; has != grouped {
				t.Errorf("%s: the file of stored texts has text %d: %t, a group has it: %t", tag, k, has, grouped)
			}
		}
	}
}

func TestJoinRefusesTwoTextsForOneKey(t *testing.T) {
	t.Parallel()
	one, other := table{Bug: {Other: "bug"}}, table{Docs: {Other: "docs"}}
	if all := join(&one, &other); all[Bug].Other != "bug" || all[Docs].Other != "docs" || one[Docs].Other != "" {
		t.Errorf("got %q and %q", all[Bug].Other, all[Docs].Other)
	}
	defer func() {
		if recover() == nil {
			t.Error("two texts for one key were joined")
		}
	}()
	join(&one, &one)
}
