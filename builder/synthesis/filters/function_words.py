"""Words that stand in nearly every text of some languages, and so tell nothing of a query."""

from typing import Final

from evals.bm25 import words

FUNCTION_WORDS: Final = frozenset(
    words("""
        a about all also an and any are as at be been before but by can could did do does down each
        for from get had has have here how if in into is it its just like made make many may mean
        means more most much must need no not now of on one only or other our out over per same say
        shall should so some such than that the their them then there these they this those to too
        two up use used using very want was way we were what when where which while who why will
        with word words work would you your
        aber alle als am an auch auf aus bei bin bis da damit das dass dein dem den denn der des die
        dies diese du ein eine einem einen einer er es für hat haben ich ihr im in ist ja kann kein
        man mehr mein mit muss nach nicht noch nur ob oder sein sich sie sind so soll um und uns
        unter vom von vor wann war warum was weil welche wenn wer werden wie wir wird wo zu zum zur
        au aux avec ce ces cette comme comment dans de des du elle en est et être faut il ils je la
        le les leur mais ne nous on ou où par pas plus pour pourquoi quand que quel quelle quelles
        quels qui quoi sa sans se ses si son sont sur un une vos votre vous
        al como con cuál cuándo cómo de del dónde el en es esta este la las lo los más no para pero
        por puede que qué quién se ser si sin son su sus un una y
        che chi come con cosa da dei del della di dove e gli ha i il io la le lo ma nel non per più
        quale quando quanto se si sono su un una
        o os as ao com dos é em na no não ou pelo por quando que se sua um uma
        aan als bij dat de deze die dit een en er het hoe ik in is je kan met naar niet of om op te
        tot van voor waar waarom wanneer wat welke wie wordt zijn
    """)
)
"""Of English, German, French, Spanish, Italian, Portuguese and Dutch, case folded."""
