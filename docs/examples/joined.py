"""Ways to join words, for joined.ini."""
import gbrun


def join(n, way):
    words = [str(i) for i in range(n)]

    def by_plus():
        text = ""
        for word in words:
            text += word
        return text

    def by_join():
        return "".join(words)

    fn = {"plus": by_plus, "join": by_join}[way]
    return gbrun.Bench(fn=lambda: len(fn()), verify=lambda: sum(map(len, words)), items=n)
