import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * Prints how java.time writes and reads date-times; made with Java 17:
 * `java -Dstdout.encoding=UTF-8 -Dfile.encoding=UTF-8 ZonedPatternTable.java > test_zoned_pattern_table.tsv`.
 */
public class ZonedPatternTable {
    static final List<String> WRITTEN = List.of(
        "dd MMM yyyy, HH:mm xx", "yyyy-MM-dd'T'HH:mm:ssXXX", "u-M-d H:m:s", "yy MM dd", "yyyyy D", "DDD", "DD",
        "G y", "GGGG uuuu", "GGGGG", "M MM MMM MMMM MMMMM", "L LL LLL LLLL LLLLL", "Q QQ QQQ QQQQ", "q qq qqq qqqq",
        "E EEE EEEE EEEEE", "e ee eee eeee eeeee", "c ccc cccc ccccc", "Y YY YYYY w ww W", "F", "a h hh K KK k kk",
        "H HH m mm s ss", "S SS SSS SSSSSS SSSSSSSSS", "A", "AAAAAAAAAA", "n", "nnnnnnnnnnn", "N", "NNNNNNNNNNNNNNN",
        "VV", "O OOOO", "X XX XXX XXXX XXXXX", "x xx xxx xxxx xxxxx", "Z ZZZ ZZZZ ZZZZZ", "'it''s' yyyy", "''yyyy''",
        "yyyy[-MM]['T'HH]", "[VV][ xx]", "pppd ppH", "d. MMMM yyyy", "yyyy\u5e74M\u6708d\u65e5", "EEEE, d MMMM yyyy h:mm a");
    /** Names that differ between Java's and babel's versions of CLDR: eras, halves of the day, GMT. */
    static final String OTHER_CLDR = ".*(G|O|ZZZZ|a$|a ).*";
    static final List<String> MOMENTS = List.of(
        "2021-01-02T00:00:00Z", "2020-02-29T23:59:59.123456789+05:30[Asia/Kolkata]", "1999-12-31T12:00:00.5-08:00",
        "2024-07-01T13:05:09.000001+02:00[Europe/Berlin]", "2026-12-28T04:30:00+00:00[UTC]", "0987-03-15T01:02:03-03:30",
        "2023-01-01T11:11:11.999+14:00", "2019-09-30T22:00:00+01:00[Europe/London]");
    static final String[][] READ = {
        {"dd MMM yyyy, HH:mm xx", "02 Jan 2021, 00:00 +0000"}, {"dd MMM yyyy HH:mm XXX", "02 Jan 2021 00:00 Z"},
        {"dd MMM yyyy HH:mm XXX", "31 Apr 2021 00:00 Z"}, {"dd MMM yyyy HH:mm XXX", "32 Apr 2021 00:00 Z"},
        {"d.M.yy H:m X", "2.1.21 3:4 +01"}, {"d.M.yy H:m X", "2.1.1921 3:4 +01"}, {"yyyyMMddHHmmssxx", "20210102030405+0530"},
        {"yyyy-MM-dd HH:mm", "2021-01-02 00:00"}, {"yyyy-MM-dd HH:mm:ss.SSS XX", "2021-01-02 01:02:03.456 -0800"},
        {"yyyy-MM-dd HH:mm VV", "2021-07-02 01:02 Europe/Berlin"}, {"yyyy-MM-dd HH:mm VV", "2021-07-02 01:02 Nowhere/At"},
        {"EEE, d MMM yyyy HH:mm:ss x", "Sat, 2 Jan 2021 01:02:03 +00"}, {"EEE, d MMM yyyy HH:mm:ss x", "Sun, 2 Jan 2021 01:02:03 +00"},
        {"yyyy-DDD HH:mm XXXXX", "2021-034 01:02 -03:30"}, {"d MMM uuuu h:mm a XX", "2 Jan 2021 12:05 PM +0000"},
        {"d MMM uuuu h:mm a XX", "2 Jan 2021 12:05 AM +0000"}, {"d MMM uuuu h:mm XX", "2 Jan 2021 12:05 +0000"},
        {"yyyy-MM-dd[ HH:mm] XX", "2021-01-02 05:06 +0000"}, {"yyyy-MM-dd'T'HH:mm[:ss][.SSS]XXX", "2021-01-02T05:06Z"},
        {"yyyy-MM-dd'T'HH:mm[:ss][.SSS]XXX", "2021-01-02T05:06:07.089+01:00"}, {"yyyy-MM-dd HH:mm O", "2021-01-02 05:06 GMT+8"},
        {"yyyy-MM-dd HH:mm OOOO", "2021-01-02 05:06 GMT-08:30"}, {"yyyy-MM-dd HH:mm ZZZZ", "2021-01-02 05:06 GMT"},
        {"yyyy-MM-dd HH:mm ZZZZZ", "2021-01-02 05:06 -08:30"}, {"G yyyy-MM-dd HH:mm X", "AD 2021-01-02 05:06 Z"},
        {"YYYY-'W'ww-e HH:mm X", "2021-W05-2 05:06 Z"}, {"yyyy-MM-dd A X", "2021-01-02 3600000 Z"},
        {"yyyy-MM-dd k:mm X", "2021-01-02 24:00 Z"}, {"yyyy-MM-dd HH:mm X", "2021-01-02 24:01 Z"}, {"yyyy-MM-dd HH:mm X", "2021-02-30 10:00 Z"},
        {"yyyy-MM-dd HH:mm X", "12021-02-03 10:00 Z"}, {"y-M-d HH:mm X", "21-02-03 10:00 Z"}, {"dd MMMM yyyy HH:mm X", "02 January 2021 10:00 Z"},
        {"yyyy-MM-dd HH:mm X", "2021-01-02 10:00 Z "}, {"yyyy-MM-dd HH:mm X", "2021-1-02 10:00 Z"}, {"ppd MMM yyyy HH:mm X", " 2 Jan 2021 10:00 Z"},
        {"yyyy-MM-dd HH:mm:ss.SSSSSSSSS X", "2021-01-02 01:02:03.123456789 Z"}, {"yyyy-MM-dd HH:mm N X", "2021-01-02 00:00 5 Z"}};
    static final String[][] READ_LOCAL = {
        {"de", "d. MMMM yyyy HH:mm X", "2. M\u00e4rz 2021 10:00 Z"}, {"de", "d. MMM yyyy HH:mm X", "2. Jan. 2021 10:00 Z"},
        {"de", "EEEE, d. MMMM yyyy HH:mm X", "Dienstag, 2. M\u00e4rz 2021 10:00 Z"}, {"fr", "d MMMM yyyy HH:mm X", "2 ao\u00fbt 2021 10:00 Z"},
        {"es", "d 'de' MMMM 'de' yyyy HH:mm X", "2 de marzo de 2021 10:00 Z"}, {"de", "d. MMMM yyyy HH:mm X", "2. March 2021 10:00 Z"},
        {"de", "YYYY-'W'ww-e HH:mm X", "2021-W05-2 05:06 Z"}};

    public static void main(String[] arguments) {
        System.out.println("call\tlocale\tpattern\tgiven\tresult");
        for (String tag : List.of("en", "de", "fr", "es"))
            for (String pattern : WRITTEN) {
                if (!tag.equals("en") && pattern.matches(OTHER_CLDR)) continue;
                for (String moment : MOMENTS)
                    line("format", tag, pattern, moment, written(tag, pattern, moment));
            }
        for (String[] each : READ) line("parse", "en", each[0], each[1], read("en", each[0], each[1]));
        for (String[] each : READ_LOCAL) line("parse", each[0], each[1], each[2], read(each[0], each[1], each[2]));
    }

    static DateTimeFormatter of(String tag, String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.forLanguageTag(tag));
    }

    static String written(String tag, String pattern, String moment) {
        try { return of(tag, pattern).format(ZonedDateTime.parse(moment)); } catch (RuntimeException error) { return "<no>"; }
    }

    static String read(String tag, String pattern, String text) {
        try { return ZonedDateTime.parse(text, of(tag, pattern)).toString(); } catch (RuntimeException error) { return "<no>"; }
    }

    static void line(String... cells) { System.out.println(String.join("\t", cells)); }
}
